// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Structured attributes: syntax and verifiers.
#include "FmhaRecipe.h"

#include "launch_expr.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

//===- Syntax -------------------------------------------------------------===//

/// `[2, 4, 512 xor 32]`, which may be empty: of each mask the highest bit, then
/// the others.
static FailureOr<SmallVector<int64_t>> parseByteMasks(AsmParser &parser) {
  SmallVector<int64_t> masks;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        int64_t &mask = masks.emplace_back(), bit = 0;
        do {
          if (parser.parseInteger(bit))
            return failure();
          mask ^= bit;
        } while (succeeded(parser.parseOptionalKeyword("xor")));
        return success();
      }))
    return failure();
  return masks;
}

static void printByteMasks(AsmPrinter &printer, ArrayRef<int64_t> masks) {
  printer << "[";
  llvm::interleaveComma(masks, printer, [&](int64_t mask) {
    for (bool isFirst = true; mask > 0; isFirst = false) {
      auto highest = int64_t(llvm::bit_floor(uint64_t(mask)));
      printer << (isFirst ? "" : " xor ") << highest;
      mask ^= highest;
    }
  });
  printer << "]";
}

/// `[<@k_in memory [read_k]>, …]`
static FailureOr<SmallVector<StageAttr>> parseStages(AsmParser &parser) {
  SmallVector<StageAttr> stages;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseCustomAttributeWithFallback(stages.emplace_back());
      }))
    return failure();
  return stages;
}

static void printStages(AsmPrinter &printer, ArrayRef<StageAttr> stages) {
  printer << "[";
  llvm::interleaveComma(stages, printer, [&](StageAttr stage) {
    printer.printStrippedAttrOrType(stage);
  });
  printer << "]";
}

/// `sc0 nt sc1`, or some of them.
static FailureOr<CachePolicy> parseCachePolicy(AsmParser &parser) {
  auto policy = CachePolicy::None;
  auto refuse = [&](SMLoc loc, StringRef what, StringRef found) {
    return parser.emitError(loc) << "expected " << what << ", found " << found;
  };
  for (;;) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (failed(parser.parseOptionalKeyword(&word))) {
      if (policy == CachePolicy::None)
        return refuse(loc, "sc0, nt or sc1", "none of them");
      return policy;
    }
    CachePolicy bit = symbolizeCachePolicy(word).value_or(CachePolicy::None);
    if (bit == CachePolicy::None)
      return refuse(loc, "sc0, nt or sc1", "'" + word.str() + "'");
    if (bitEnumContainsAny(policy, bit))
      return refuse(loc, "each of sc0, nt and sc1 once",
                    "'" + word.str() + "' again");
    policy = policy | bit;
  }
}

static void printCachePolicy(AsmPrinter &printer, CachePolicy policy) {
  printer << spell(policy);
}

#define GET_ATTRDEF_CLASSES
#include "FmhaAttrs.cpp.inc"

void FmhaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "FmhaAttrs.cpp.inc"
      >();
}

/// Parses `[[a, b], [c, d]]`; every inner list must have the rank that the
/// first non-empty one sets.
static ParseResult parseBases(AsmParser &parser, StringRef keyword,
                              int64_t &rank, SmallVector<int64_t> &bases) {
  if (parser.parseKeyword(keyword) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        int64_t found = 0;
        if (parser.parseCommaSeparatedList(
                AsmParser::Delimiter::Square, [&]() -> ParseResult {
                  ++found;
                  return parser.parseInteger(bases.emplace_back());
                }))
          return failure();
        if (rank == 0)
          rank = found;
        if (found != rank)
          return parser.emitError(loc)
                 << "expected " << rank << " coordinates in a basis, found "
                 << found;
        return success();
      });
}

Attribute LaneLayoutAttr::parse(AsmParser &parser, Type) {
  int64_t rank = 0, fragment = 1;
  SmallVector<int64_t> reg, lane, wave;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("fragment") ||
      parser.parseEqual() || parser.parseInteger(fragment) ||
      parser.parseComma() || parseBases(parser, "reg", rank, reg) ||
      parser.parseComma() || parseBases(parser, "lane", rank, lane) ||
      parser.parseComma() || parseBases(parser, "wave", rank, wave) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<LaneLayoutAttr>(loc, parser.getContext(), rank,
                                           fragment, reg, lane, wave);
}

static void printBases(AsmPrinter &printer, StringRef keyword, int64_t rank,
                       ArrayRef<int64_t> bases) {
  printer << keyword << " = [";
  for (size_t i = 0; i < bases.size(); i += rank) {
    printer << (i ? ", [" : "[");
    llvm::interleaveComma(bases.slice(i, rank), printer);
    printer << "]";
  }
  printer << "]";
}

void LaneLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<fragment = " << getFragment() << ", ";
  printBases(printer, "reg", getRank(), getReg());
  printer << ", ";
  printBases(printer, "lane", getRank(), getLane());
  printer << ", ";
  printBases(printer, "wave", getRank(), getWave());
  printer << ">";
}

//===- Meaning ------------------------------------------------------------===//

LaneLayoutAttr LaneLayoutAttr::ofRows(LaneLayoutAttr layout) {
  SmallVector<int64_t> reg, lane, wave;
  for (unsigned bit = 0; bit < layout.regBits(); ++bit)
    if (int64_t row = layout.regBasis(bit, 0))
      reg.push_back(row);
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
    lane.push_back(layout.laneBasis(bit, 0));
  for (unsigned bit = 0; bit < layout.waveBits(); ++bit)
    wave.push_back(layout.waveBasis(bit, 0));
  return get(layout.getContext(), /*rank=*/1, /*fragment=*/1, reg, lane, wave);
}

int64_t LaneLayoutAttr::regCoord(int64_t index, unsigned dim) const {
  int64_t coord = 0;
  for (unsigned bit = 0; bit < regBits(); ++bit)
    if (index >> bit & 1)
      coord ^= regBasis(bit, dim);
  return coord;
}

int64_t LdsLayoutAttr::maskOf(int64_t row, int64_t col) const {
  // Proofs ask for every element: no branch on a bit that nobody can predict.
  int64_t offset = 0;
  for (int64_t mask : getRow()) {
    offset ^= mask & -(row & 1);
    row >>= 1;
  }
  for (int64_t mask : getCol()) {
    offset ^= mask & -(col & 1);
    col >>= 1;
  }
  return offset;
}

//===- Verifiers ----------------------------------------------------------===//

static bool isPowerOfTwo(int64_t value) {
  return value > 0 && llvm::isPowerOf2_64(value);
}

/// Which types go together. Weights are what the matrix instruction that
/// multiplies them with V takes.
static LogicalResult verifyTypes(EmitError emitError, Type q, Type k, Type v,
                                 Type p, Type o) {
  for (auto [name, type] : {std::pair("q", q), {"k", k}, {"v", v}, {"p", p}})
    if (!kindOf(type))
      return emitError() << "expected " << name << " to be " << kKindTypes
                         << ", found " << type;
  auto isSmall = [](Type type) { return bitsOf(type) == kByteBits; };
  if (!o.isBF16() && !o.isF16() && !o.isF32() &&
      !(isa<Float8E4M3FNType>(o) && isSmall(k)))
    return emitError() << "expected o to be bf16, f16 or f32, or f8E4M3FN with "
                          "k of 8 bits, found "
                       << o;
  auto refuse = [&](StringRef what) {
    return emitError() << "expected " << what << ", found q = " << q
                       << ", k = " << k << ", v = " << v << ", p = " << p;
  };
  const auto fp8 = Float8E4M3FNType::get(q.getContext());
  if (isSmall(q))
    return q == fp8 && llvm::all_equal({q, k, v, p})
               ? success()
               : refuse("f8E4M3FN throughout with q of 8 bits");
  if (!isSmall(k) && !isSmall(v))
    return llvm::all_equal({q, k, v, p})
               ? success()
               : refuse("one type throughout where q, k and v have 16 bits");
  // Dequantised, or with Q quantised.
  if (!isSmall(k) || !isSmall(v) || (p != q && p != fp8))
    return refuse("k and v both of 8 bits, and p like q or f8E4M3FN, with q of "
                  "16 bits and one of k and v of 8");
  return success();
}

/// Which factors there may be, of operands of 8 bits.
static LogicalResult
verifyFactors(EmitError emitError,
              const fmha::detail::ProblemAttrStorage &keys) {
  const struct {
    StringRef key;
    Factors factors;
    Type element;
    bool isPacked;
  } all[] = {{"q_scale", keys.q_scale, keys.q, false},
             {"k_scale", keys.k_scale, keys.k, keys.varlen_kv},
             {"v_scale", keys.v_scale, keys.v, keys.varlen_kv}};
  bool blocks = false;
  for (const auto &of : all) {
    if (of.factors != Factors::None && bitsOf(of.element) != kByteBits)
      return emitError() << "expected " << of.key
                         << " with elements of 8 bits only, found "
                         << of.element;
    // Blocks of a sequence that begins anywhere have no place of their own.
    if (of.factors == Factors::Block && of.isPacked)
      return emitError() << "expected " << of.key
                         << " of packed sequences to be head or token, found "
                            "block";
    // Of K and V in pages a page is a block.
    blocks |= of.factors == Factors::Block &&
              (of.key == "q_scale" || keys.pages == Pages::None);
  }
  if (blocks ? keys.scale_block < 1 ||
                   keys.scale_block > std::numeric_limits<int32_t>::max()
             : keys.scale_block != 0)
    return emitError() << "expected scale_block in 1.."
                       << std::numeric_limits<int32_t>::max()
                       << " with factors by block and 0 without, found "
                       << keys.scale_block;
  return success();
}

static LogicalResult verifyPages(EmitError emitError,
                                 const fmha::detail::ProblemAttrStorage &keys) {
  constexpr int64_t kMostRows = 1 << 16; // of a page; a bound of the options
  if (keys.pages == Pages::None
          ? keys.page_size != 0
          : keys.page_size < 1 || keys.page_size > kMostRows)
    return emitError() << "expected page_size in 1.." << kMostRows
                       << " with pages and 0 without, found " << keys.page_size;
  if (keys.pages != Pages::None && keys.varlen_kv)
    return emitError()
           << "expected sequences of K and V to lie in pages or one "
              "after the other (varlen_kv), found both";
  if (keys.pages != Pages::None &&
      keys.lengths_kv != (keys.pages == Pages::Table))
    return emitError()
           << "expected lengths_kv with pages = table, and not with "
              "pages = list, which has them; found pages = "
           << stringifyPages(keys.pages)
           << (keys.lengths_kv ? " with" : " without") << " lengths_kv";
  if (keys.lengths_cached && !keys.lengths_kv)
    return emitError() << "expected lengths_cached with lengths_kv only";
  if (!keys.vectorised)
    return success();
  if (keys.pages == Pages::None)
    return emitError() << "expected vectorised with pages only";
  auto checkPieces = [&](StringRef name, int64_t size,
                         Type element) -> LogicalResult {
    const int64_t piece = kVectorAccessBytes / bytesOf(bitsOf(element));
    if (size % piece == 0)
      return success();
    return emitError() << "expected " << name << " to be a multiple of "
                       << piece << " with vectorised, the elements of "
                       << kVectorAccessBytes << " bytes, found " << size;
  };
  if (!keys.v_in_k && failed(checkPieces("page_size", keys.page_size, keys.v)))
    return failure();
  if (failed(checkPieces("rope_dim", keys.rope_dim, keys.k)))
    return failure();
  return checkPieces("head_dim_qk", keys.head_dim_qk, keys.k);
}

/// Columns of K in a tensor of their own, and V in K.
static LogicalResult
verifyLatent(EmitError emitError,
             const fmha::detail::ProblemAttrStorage &keys) {
  const int64_t rope = keys.rope_dim, own = keys.head_dim_qk - rope;
  if (rope < 0 || own <= 0 || rope % 8)
    return emitError() << "expected rope_dim to be a multiple of 8 below "
                          "head_dim_qk, "
                       << keys.head_dim_qk << ", found " << rope;
  if (!keys.v_in_k)
    return success();
  if (keys.head_dim_v > own)
    return emitError() << "expected head_dim_v of at most the " << own
                       << " columns of K's tensor with v_in_k, found "
                       << keys.head_dim_v;
  if (keys.v != keys.k || keys.v_scale != keys.k_scale)
    return emitError() << "expected v and v_scale to be those of k with "
                          "v_in_k, found v = "
                       << keys.v << ", k = " << keys.k
                       << ", v_scale = " << stringifyFactors(keys.v_scale)
                       << ", k_scale = " << stringifyFactors(keys.k_scale);
  return success();
}

LogicalResult ProblemAttr::verify(EmitError emitError,
                                  const detail::ProblemAttrStorage &keys) {
  if (failed(verifyTypes(emitError, keys.q, keys.k, keys.v, keys.p, keys.o)))
    return failure();
  auto checkDim = [&](StringRef name, int64_t dim,
                      int64_t most) -> LogicalResult {
    if (dim < 8 || dim > most || dim % 8)
      return emitError() << "expected " << name
                         << " to be a multiple of 8 in 8.." << most
                         << ", found " << dim;
    return success();
  };
  if (failed(checkDim("head_dim_qk", keys.head_dim_qk, kMaxHeadDimQk)) ||
      failed(checkDim("head_dim_v", keys.head_dim_v, kMaxHeadDimV)) ||
      failed(verifyLatent(emitError, keys)))
    return failure();
  // Positions are 32-bit and windows are added to them.
  constexpr int64_t kFarthestKey = int64_t(1) << 30;
  for (auto [side, reach] : {std::pair("window_left", keys.window_left),
                             {"window_right", keys.window_right}}) {
    if (keys.mask != MaskKind::Window && reach != -1)
      return emitError() << "expected " << side << " with mask window only";
    if (reach < -1 || reach > kFarthestKey)
      return emitError() << "expected " << side << " in -1.." << kFarthestKey
                         << ", found " << reach;
  }
  if (keys.mask == MaskKind::Chunked
          ? keys.chunk < 1 || keys.chunk > kFarthestKey
          : keys.chunk != 0)
    return emitError() << "expected chunk in 1.." << kFarthestKey
                       << " with mask chunked and 0 without, found "
                       << keys.chunk;
  // Scores are multiplied by 1 / softcap, which has to be finite.
  if (keys.softcap &&
      (!keys.softcap.getType().isF32() || !keys.softcap.getValue().isNormal() ||
       keys.softcap.getValue().isNegative()))
    return emitError() << "expected softcap to be a normal f32 above 0, found "
                       << keys.softcap;
  if ((keys.varlen_q && keys.lengths_q) || (keys.varlen_kv && keys.lengths_kv))
    return emitError() << "expected a sequence to be packed (varlen) or to "
                          "have lengths, found both";
  if (failed(verifyPages(emitError, keys)))
    return failure();
  return verifyFactors(emitError, keys);
}

LogicalResult MfmaAttr::verify(EmitError emitError, int64_t m, int64_t n,
                               int64_t k) {
  if (!isPowerOfTwo(m) || !isPowerOfTwo(n) || !isPowerOfTwo(k))
    return emitError() << "expected m, n and k to be powers of two, found m = "
                       << m << ", n = " << n << ", k = " << k;
  if (std::max({m, n, k}) > kMaxTile)
    return emitError() << "expected m, n and k of at most " << kMaxTile
                       << ", found " << std::max({m, n, k});
  return success();
}

LogicalResult StagingAttr::verify(EmitError emitError, LdsRead,
                                  int64_t maxPadBytes, int64_t buffers,
                                  LdsFamily layout, LdsMapAttr map, bool) {
  constexpr int64_t kMaxBuffers = 8;
  if (map && layout != LdsFamily::Any)
    return emitError() << "expected layout or map, found layout "
                       << stringifyLdsFamily(layout) << " and a map";
  if (layout == LdsFamily::Padded && maxPadBytes == 0)
    return emitError() << "expected max_pad_bytes of at least 16 with layout "
                          "padded, found 0";
  if (buffers < 1 || buffers > kMaxBuffers)
    return emitError() << "expected buffers in 1.." << kMaxBuffers << ", found "
                       << buffers;
  if (maxPadBytes < 0 || maxPadBytes > 1024 || maxPadBytes % 16)
    return emitError() << "expected max_pad_bytes to be a multiple of 16 in "
                          "0..1024, found "
                       << maxPadBytes;
  return success();
}

/// `when` of a launch, and each side of its grid.
static LogicalResult verifyExpr(EmitError emitError, StringRef key,
                                StringAttr text, bool isCondition) {
  fmhac_launch_expr expr;
  size_t offset;
  std::string terminated = text.getValue().str();
  if (terminated.size() == text.size() &&
      fmhac_launch_expr_parse(terminated.c_str(), isCondition, &expr, &offset))
    return success();
  return emitError() << "expected " << key << " to be "
                     << (isCondition ? "a condition like Sk <= 256"
                                     : "an expression like ceil(Sq / 256)")
                     << " of at most " << FMHAC_LAUNCH_TEXT_BYTES - 1
                     << " bytes, found " << text << ", wrong from byte "
                     << offset;
}

LogicalResult LaunchAttr::verify(EmitError emitError, ArrayRef<StringAttr> grid,
                                 int64_t block, StringAttr when) {
  constexpr size_t kSides = 3;
  if (grid.size() != kSides)
    return emitError() << "expected grid to have " << kSides << " sides, found "
                       << grid.size();
  for (StringAttr side : grid)
    if (failed(verifyExpr(emitError, "grid", side, /*isCondition=*/false)))
      return failure();
  if (block < 1)
    return emitError() << "expected block to be positive, found " << block;
  return when ? verifyExpr(emitError, "when", when, /*isCondition=*/true)
              : success();
}

/// One without a policy would be another spelling of none at all.
LogicalResult CacheAttr::verify(EmitError emitError,
                                const detail::CacheAttrStorage &keys) {
  const bool isAny = std::apply(
      [](auto... own) { return ((own != CachePolicy::None) || ...); },
      keys.getAsKey());
  if (!isAny)
    return emitError() << "expected cache with sc0, nt or sc1 of an operand, "
                          "or no cache at all; found one of no operand";
  return success();
}

LogicalResult ScheduleAttr::verify(EmitError emitError,
                                   const detail::ScheduleAttrStorage &keys) {
  if (!isPowerOfTwo(keys.waves) || keys.waves > 16)
    return emitError() << "expected waves to be a power of two in 1..16, found "
                       << keys.waves;
  if (keys.waves_per_simd < 1 || keys.waves_per_simd > 8)
    return emitError() << "expected waves_per_simd in 1..8, found "
                       << keys.waves_per_simd;
  if (keys.k.getShared())
    return emitError() << "expected shared of v only, which may lie in k; "
                          "found it of k";
  if (keys.qk.getN() != keys.pv.getN())
    return emitError() << "expected qk and pv to own the same rows a lane: qk "
                          "has n = "
                       << keys.qk.getN() << ", pv has n = " << keys.pv.getN();
  if (!isPowerOfTwo(keys.key_waves) || keys.key_waves > keys.waves)
    return emitError() << "expected key_waves to be a power of two in 1.."
                       << keys.waves << ", the waves, found " << keys.key_waves;
  const bool divides = keys.key_waves > 1;
  int64_t rows = keys.waves / keys.key_waves * keys.qk.getN();
  if (!isPowerOfTwo(keys.tile_m) || keys.tile_m % rows)
    return emitError() << "expected tile_m to be a power of two and a multiple "
                          "of waves"
                       << (divides ? " / key_waves" : "")
                       << " * qk.n = " << rows << ", found " << keys.tile_m;
  if (!isPowerOfTwo(keys.tile_n) ||
      keys.tile_n % (keys.key_waves * keys.qk.getM()) ||
      keys.tile_n % (keys.key_waves * keys.pv.getK())) {
    InFlightDiagnostic diag =
        emitError()
        << "expected tile_n to be a power of two and a multiple of ";
    if (divides)
      diag << "key_waves = " << keys.key_waves << " times ";
    return diag << "qk.m = " << keys.qk.getM()
                << " and pv.k = " << keys.pv.getK() << ", found "
                << keys.tile_n;
  }
  if (divides && keys.scale == ScalePolicy::Start)
    return emitError() << "expected scale fma or q with key_waves: sums of the "
                          "keys of each wave are relative to its own maximum, "
                          "which start moves into the scores; found start";
  if (std::max(keys.tile_m, keys.tile_n) > kMaxTile)
    return emitError() << "expected "
                       << (keys.tile_m > kMaxTile ? "tile_m" : "tile_n")
                       << " to be at most " << kMaxTile << ", found "
                       << std::max(keys.tile_m, keys.tile_n);
  bool isLazy = keys.rescale == RescalePolicy::Lazy;
  if (isLazy ? keys.lazy_log2 < 1 || keys.lazy_log2 > kMaxLazyLog2
             : keys.lazy_log2 != 0)
    return emitError() << "expected lazy_log2 in 1.." << kMaxLazyLog2
                       << " with rescale lazy and none without, found "
                       << keys.lazy_log2;
  if (keys.scale == ScalePolicy::Start && !isLazy)
    return emitError() << "expected rescale lazy with scale start: the maximum "
                          "has to be known before the scores";
  for (StageAttr stage : keys.pipeline.getStages())
    for (StepAttr step : stage.getSteps())
      if (keys.scale == ScalePolicy::Start &&
          step.getKind() == StepKind::ScoreMod)
        return emitError() << "expected no 'score_mod' in the pipeline with "
                              "scale start: scores come out relative to the "
                              "maximum";
  if (keys.sums && keys.sums.isDot() && keys.sums.getK() != 2)
    return emitError() << "expected sums to be a matrix instruction or the dot "
                          "product of two (m = 1, n = 1, k = 2), found k = "
                       << keys.sums.getK();
  return success();
}

ScheduleAttr ScheduleAttr::with(EmitError emitError,
                                ArrayRef<StagingAttr> staged,
                                RescalePolicy rescale, int64_t lazyLog2,
                                ScalePolicy scale, PackedMath packed,
                                GridOrder grid, PipelineAttr pipeline) const {
  detail::ScheduleAttrStorage keys = *getImpl();
  std::tie(keys.k, keys.v, keys.rescale, keys.lazy_log2, keys.scale,
           keys.packed, keys.grid, keys.pipeline) =
      std::tie(staged[0], staged[1], rescale, lazyLog2, scale, packed, grid,
               pipeline);
  return std::apply(
      [&](auto... key) { return getChecked(emitError, getContext(), key...); },
      keys.getAsKey());
}

LogicalResult LaneLayoutAttr::verify(EmitError emitError, int64_t rank,
                                     int64_t fragment, ArrayRef<int64_t> reg,
                                     ArrayRef<int64_t> lane,
                                     ArrayRef<int64_t> wave) {
  constexpr int64_t kLaneBits = 6; // wave64
  if (rank < 1 || rank > 2)
    return emitError() << "expected bases of 1 or 2 coordinates, found "
                       << rank;
  if (int64_t(lane.size()) != kLaneBits * rank)
    return emitError() << "expected " << kLaneBits << " lane bases, found "
                       << lane.size() / rank;
  constexpr size_t kMaxRegBits = 16; // LDS has fewer elements
  if (reg.size() > kMaxRegBits * rank)
    return emitError() << "expected at most " << kMaxRegBits
                       << " register bases, found " << reg.size() / rank;
  int64_t elems = int64_t(1) << (reg.size() / rank);
  if (!isPowerOfTwo(fragment) || fragment > elems)
    return emitError() << "expected fragment to be a power of two in 1.."
                       << elems << ", found " << fragment;
  for (ArrayRef<int64_t> bases : {reg, lane, wave})
    for (int64_t coord : bases)
      if (coord < 0)
        return emitError() << "expected basis coordinates of at least 0, found "
                           << coord;
  return success();
}

/// Every element has bytes of its own, and there is none between them: with
/// masks reduced so that each has a highest bit of its own, those bits are
/// neighbours. `first` is the lowest of them, the bytes of an element.
static LogicalResult verifyMasks(EmitError emitError, ArrayRef<int64_t> row,
                                 ArrayRef<int64_t> col, int64_t &first) {
  SmallVector<int64_t> reduced;
  for (ArrayRef<int64_t> masks : {row, col})
    for (int64_t mask : masks) {
      if (mask <= 0)
        return emitError() << "expected positive byte masks, found " << mask;
      int64_t rest = mask;
      for (int64_t other : reduced)
        rest = std::min(rest, rest ^ other);
      if (!rest)
        return emitError() << "expected each element at a byte of its own, "
                              "found mask "
                           << mask << " to be the XOR of others";
      reduced.push_back(rest);
      llvm::sort(reduced, std::greater<>());
    }
  first = 1;
  if (reduced.empty())
    return success();
  auto highest = [](int64_t mask) {
    return int64_t(llvm::bit_floor(uint64_t(mask)));
  };
  first = highest(reduced.back());
  int64_t expected = first;
  for (int64_t mask : llvm::reverse(reduced)) {
    if (highest(mask) != expected)
      return emitError() << "expected elements without gaps, found none whose "
                            "byte begins with bit "
                         << expected;
    expected *= 2;
  }
  for (int64_t mask : reduced)
    if (mask % first)
      return emitError()
             << "expected masks that are multiples of the smallest, " << first
             << ", found " << mask;
  return success();
}

/// What the widest access of LDS is aligned to, bytes.
constexpr int64_t kAccessBytes = 16;

/// Chunks of a power of two of bytes, at least those of `what`, with padding
/// that keeps accesses aligned.
static LogicalResult verifyPadding(EmitError emitError, int64_t chunkBytes,
                                   int64_t padBytes, int64_t leastBytes,
                                   StringRef what) {
  if (!chunkBytes && !padBytes)
    return success();
  if (chunkBytes < leastBytes || !isPowerOfTwo(chunkBytes))
    return emitError() << "expected chunks of a power of two of bytes, of at "
                          "least "
                       << what << " = " << leastBytes << ", found "
                       << chunkBytes;
  if (padBytes <= 0 || padBytes % kAccessBytes || padBytes > kMaxTile)
    return emitError() << "expected padding of a multiple of " << kAccessBytes
                       << " bytes a chunk, of at most " << kMaxTile
                       << ", found " << padBytes;
  return success();
}

LogicalResult LdsMapAttr::verify(EmitError emitError, ArrayRef<int64_t> row,
                                 ArrayRef<int64_t> col, int64_t chunkBytes,
                                 int64_t padBytes) {
  int64_t first = 0;
  if (row.size() > 16 || col.size() > 16)
    return emitError() << "expected at most 16 masks of rows and of columns, "
                          "found "
                       << row.size() << " and " << col.size();
  if (row.empty() && col.empty())
    return emitError() << "expected masks of rows or columns, found none";
  if (failed(verifyMasks(emitError, row, col, first)))
    return failure();
  return verifyPadding(emitError, chunkBytes, padBytes, kAccessBytes,
                       "an access");
}

LogicalResult LdsLayoutAttr::verify(EmitError emitError, ArrayRef<int64_t> row,
                                    ArrayRef<int64_t> col, int64_t lineBytes,
                                    int64_t chunkBytes, int64_t padBytes,
                                    int64_t bytes, int64_t conflictWays) {
  int64_t first = 0;
  if (failed(verifyMasks(emitError, row, col, first)))
    return failure();
  if (!isPowerOfTwo(lineBytes))
    return emitError() << "expected line_bytes to be a power of two, found "
                       << lineBytes;
  if (failed(verifyPadding(emitError, chunkBytes, padBytes, lineBytes,
                           "line_bytes")))
    return failure();
  int64_t last = (first << (row.size() + col.size())) - first;
  if (padBytes)
    last += last / chunkBytes * padBytes;
  if (bytes <= last)
    return emitError() << "expected bytes above the last element's offset "
                       << last << ", found " << bytes;
  if (conflictWays < 1)
    return emitError() << "expected conflict_ways of at least 1, found "
                       << conflictWays;
  return success();
}
