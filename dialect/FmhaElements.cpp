// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FmhaElements.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {
struct KindRow {
  ElementKind kind;
  llvm::StringLiteral name;
  bool (*has)(Type);
};
constexpr KindRow kKinds[] = {
    {ElementKind::BF16, "bf16", [](Type type) { return type.isBF16(); }},
    {ElementKind::F16, "f16", [](Type type) { return type.isF16(); }},
    {ElementKind::FP8, "fp8",
     [](Type type) { return isa<Float8E4M3FNType>(type); }},
    {ElementKind::BF8, "bf8",
     [](Type type) { return isa<Float8E5M2Type>(type); }},
};
} // namespace

std::optional<ElementKind> fmha::kindOf(Type element) {
  for (const KindRow &row : kKinds)
    if (row.has(element))
      return row.kind;
  return std::nullopt;
}

StringRef fmha::nameOf(ElementKind kind) { return kKinds[size_t(kind)].name; }
