# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each gfx950 instruction reads and writes, from the text that llvm-objdump gives it.

Written from the CDNA4 ISA guide (chapters 6, 7 and 12) alone, for wait_states.py. Registers
are strings: "v0", "a0", "s0", "vcc_lo", "exec_hi", "m0". An instruction that no table here
has is an UnknownInstruction, not one without operands.
"""
import functools
import re


class UnknownInstruction(Exception):
    """Nothing is known of what it reads and writes."""


# Of vector instructions, without _e32, _e64, _dpp and _sdwa: one vector register or tuple
# is written, the operands after it are read.
PLAIN = set("""
v_add_u32 v_sub_u32 v_subrev_u32 v_add_u16 v_sub_u16 v_subrev_u16 v_add_i32 v_sub_i32
v_add_i16 v_sub_i16 v_add3_u32 v_add_lshl_u32 v_lshl_add_u32 v_lshl_add_u64 v_lshl_or_b32
v_and_or_b32 v_or3_b32 v_xad_u32 v_and_b32 v_or_b32 v_xor_b32 v_xnor_b32 v_not_b32
v_bfe_u32 v_bfe_i32 v_bfi_b32 v_bfm_b32 v_bfrev_b32 v_bcnt_u32_b32 v_ffbh_u32 v_ffbh_i32
v_ffbl_b32 v_perm_b32 v_alignbit_b32 v_alignbyte_b32 v_mbcnt_lo_u32_b32
v_mbcnt_hi_u32_b32 v_lshlrev_b32 v_lshrrev_b32 v_ashrrev_i32 v_lshlrev_b64 v_lshrrev_b64
v_ashrrev_i64 v_lshlrev_b16 v_lshrrev_b16 v_ashrrev_i16 v_mul_lo_u32 v_mul_hi_u32
v_mul_hi_i32 v_mul_lo_u16 v_mul_u32_u24 v_mul_i32_i24 v_mul_hi_u32_u24 v_mul_hi_i32_i24
v_mad_u32_u24 v_mad_i32_i24 v_mad_u16 v_mad_i16 v_mad_u32_u16 v_mad_i32_i16
v_min_u32 v_max_u32 v_min_i32 v_max_i32 v_min3_u32 v_max3_u32 v_med3_u32 v_min3_i32
v_max3_i32 v_med3_i32 v_min_u16 v_max_u16 v_min_i16 v_max_i16
v_mov_b32 v_mov_b64 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32
v_fmamk_f32 v_fmaak_f32
v_add_f32 v_sub_f32 v_subrev_f32 v_mul_f32 v_mul_legacy_f32 v_fma_f32 v_min_f32
v_max_f32 v_min3_f32 v_max3_f32 v_med3_f32 v_minimum3_f32 v_maximum3_f32 v_rndne_f32
v_floor_f32 v_ceil_f32 v_trunc_f32 v_fract_f32 v_ldexp_f32 v_frexp_mant_f32
v_frexp_exp_i32_f32 v_div_fixup_f32 v_add_f64 v_mul_f64 v_fma_f64 v_min_f64 v_max_f64
v_rndne_f64 v_floor_f64 v_ceil_f64 v_trunc_f64 v_fract_f64 v_ldexp_f64
v_frexp_mant_f64 v_frexp_exp_i32_f64 v_div_fixup_f64
v_add_f16 v_sub_f16 v_subrev_f16 v_mul_f16 v_fma_f16 v_min_f16 v_max_f16 v_min3_f16
v_max3_f16 v_med3_f16 v_rndne_f16 v_floor_f16 v_ceil_f16 v_trunc_f16 v_fract_f16
v_ldexp_f16 v_frexp_mant_f16 v_frexp_exp_i16_f16 v_div_fixup_f16
v_cvt_f32_u32 v_cvt_f32_i32 v_cvt_u32_f32 v_cvt_i32_f32 v_cvt_f32_f16 v_cvt_f16_f32
v_cvt_f32_bf16 v_cvt_f64_f32 v_cvt_f32_f64 v_cvt_f64_u32 v_cvt_f64_i32 v_cvt_u32_f64
v_cvt_i32_f64 v_cvt_f16_u16 v_cvt_f16_i16 v_cvt_u16_f16 v_cvt_i16_f16
v_cvt_f32_ubyte0 v_cvt_f32_ubyte1 v_cvt_f32_ubyte2 v_cvt_f32_ubyte3
v_cvt_flr_i32_f32 v_cvt_rpi_i32_f32 v_cvt_f32_fp8 v_cvt_f32_bf8 v_cvt_pk_f32_fp8
v_cvt_pk_f32_bf8 v_cvt_pkrtz_f16_f32 v_cvt_pk_f16_f32 v_cvt_pk_bf16_f32
v_cvt_pk_u16_u32 v_cvt_pk_i16_i32 v_cvt_pknorm_i16_f32 v_cvt_pknorm_u16_f32
v_pack_b32_f16 v_pk_add_f32 v_pk_mul_f32 v_pk_fma_f32 v_pk_mov_b32 v_pk_add_f16
v_pk_mul_f16 v_pk_fma_f16 v_pk_min_f16 v_pk_max_f16 v_pk_add_u16 v_pk_sub_u16
v_pk_add_i16 v_pk_sub_i16 v_pk_mul_lo_u16 v_pk_mad_u16 v_pk_mad_i16 v_pk_min_u16
v_pk_max_u16 v_pk_min_i16 v_pk_max_i16 v_pk_lshlrev_b16 v_pk_lshrrev_b16
v_pk_ashrrev_i16 v_mad_mix_f32 v_bitop3_b32 v_bitop3_b16
v_cvt_scalef32_f32_fp8 v_cvt_scalef32_f32_bf8 v_cvt_scalef32_pk_f32_fp8
v_cvt_scalef32_pk_f32_bf8 v_cvt_scalef32_pk_f16_fp8 v_cvt_scalef32_pk_f16_bf8
v_cvt_scalef32_pk_bf16_fp8 v_cvt_scalef32_pk_bf16_bf8 v_cvt_scalef32_pk_f32_fp4
v_cvt_scalef32_pk_f16_fp4 v_cvt_scalef32_pk_bf16_fp4
""".split())
# ISA guide, table 12.
TRANS = set("""
v_exp_f32 v_log_f32 v_rcp_f32 v_rcp_iflag_f32 v_rsq_f32 v_rcp_f64 v_rsq_f64 v_sqrt_f32
v_sqrt_f64 v_sin_f32 v_cos_f32 v_rcp_f16 v_sqrt_f16 v_rsq_f16 v_log_f16 v_exp_f16
v_sin_f16 v_cos_f16 v_exp_legacy_f32 v_log_legacy_f32
""".split())
# What they write they read, too, or keep a part of.
TIED = set("""
v_fmac_f32 v_fmac_f16 v_fmac_f64 v_pk_fmac_f16 v_mac_f16
v_cvt_pk_fp8_f32 v_cvt_pk_bf8_f32 v_cvt_sr_fp8_f32 v_cvt_sr_bf8_f32
v_cvt_scalef32_f16_fp8 v_cvt_scalef32_f16_bf8
v_cvt_scalef32_pk_fp8_f32 v_cvt_scalef32_pk_bf8_f32 v_cvt_scalef32_pk_fp4_f32
v_cvt_scalef32_pk_fp8_f16 v_cvt_scalef32_pk_bf8_f16 v_cvt_scalef32_pk_fp4_f16
v_cvt_scalef32_pk_fp8_bf16 v_cvt_scalef32_pk_bf8_bf16 v_cvt_scalef32_pk_fp4_bf16
v_cvt_scalef32_sr_fp8_f32 v_cvt_scalef32_sr_bf8_f32 v_cvt_scalef32_sr_pk_fp4_f32
v_cvt_scalef32_sr_fp8_f16 v_cvt_scalef32_sr_bf8_f16 v_cvt_scalef32_sr_pk_fp4_f16
v_cvt_scalef32_sr_fp8_bf16 v_cvt_scalef32_sr_bf8_bf16 v_cvt_scalef32_sr_pk_fp4_bf16
""".split())
# A part of a register even where op_sel has no say: AMD's experiments of LLVM PR 118589
# and of LLVM PR 140218, which was not merged.
ALWAYS_PARTIAL = re.compile(r"v_cvt_scalef32_(sr_pk_fp4_b?f(16|32)|pk_(fp8|bf8)_b?f16)$")
# Dot products, "DLops" of table 38.
DOT = set("""
v_dot2_f32_f16 v_dot2_f32_bf16 v_dot2_i32_i16 v_dot2_u32_u16 v_dot4_i32_i8 v_dot4_u32_u8
v_dot8_i32_i4 v_dot8_u32_u4
""".split())
DOT_TIED = {"v_dot2c_f32_f16", "v_dot2c_f32_bf16", "v_dot2c_i32_i16", "v_dot4c_i32_i8",
            "v_dot8c_i32_i4"}
# The second operand is a mask of lanes that is written.
WITH_MASK_OUT = {"v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32", "v_div_scale_f32",
                 "v_div_scale_f64", "v_mad_u64_u32", "v_mad_i64_i32", "v_addc_co_u32",
                 "v_subb_co_u32", "v_subbrev_co_u32"}
# The last operand is a mask of lanes, or a carry, that is read.
WITH_MASK_IN = {"v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32", "v_cndmask_b32"}
SWAPS = {"v_swap_b32", "v_permlane16_swap_b32", "v_permlane32_swap_b32"}

# Bits of a hardware register that s_setreg may name (ISA guide 3.12): MODE.vskip.
VSKIP_BIT = 28

SALU = re.compile(
    r"s_(addc?|subb?|mul|mul_hi|min|max|and|or|xor|nand|nor|xnor|andn2|orn2|lshl|lshr|ashr|"
    r"bfm|bfe|cselect|mov|cmov|not|wqm|quadmask|brev|bcnt[01]|ff[01]|flbit|sext|abs|absdiff|"
    r"pack_(ll|lh|hh)|lshl[1-4]_add|bitset[01]|bitreplicate|movk|cmovk|addk|mulk|getpc|"
    r"(and|or|xor|nand|nor|xnor|andn[12]|orn[12])_saveexec|andn[12]_wrexec|ff[01]_i32|"
    r"flbit_i32)_[biu](16|32|64|32_[biu]?(8|16|32|64)|64_b32)$")
SALU_WITHOUT_RESULT = re.compile(r"s_(cmpk?|bitcmp[01])_\w+$")
NOTHING = re.compile(r"s_(waitcnt|barrier|setprio|sleep|nop|icache_inv|sethalt|ttracedata|"
                     r"branch|cbranch_(scc[01]|vccn?z|execn?z)|endpgm|sendmsg|code_end|"
                     r"incperflevel|decperflevel|dcache_(wb|inv)(_vol)?)$")
SMEM = re.compile(r"s_(load|buffer_load|scratch_load)_dword(x\d+)?$|s_mem(real)?time$")
SETREG = re.compile(r"s_setreg(_imm32)?_b32$")
BUFFER = re.compile(r"buffer_(load|store)_(\w+)$")
FLAT = re.compile(r"(flat|global|scratch)_(load|store)_(\w+)$")
DS_READ = re.compile(r"ds_(read\w*|bpermute_b32|permute_b32|swizzle_b32)$")
DS_WRITE = re.compile(r"ds_write\w*$")
MFMA = re.compile(r"v_mfma_(?:scale_)?(f32|i32|f64)_(\d+x\d+x\d+)(?:_(\d+)b)?_(\w+)$")
SMFMAC = re.compile(r"v_smfmac_f32_(?:(?=16x16x128|32x32x64)(16|32)x\d+x\d+)_(?:fp8|bf8)_(?:fp8|bf8)$")

WIDE_STORES = ("dwordx3", "dwordx4", "format_xyz", "format_xyzw")


@functools.lru_cache(maxsize=None)
def registers(operand):
    """Those that an operand names."""
    found = []
    for file, one, first, last in re.findall(
            r"\b([vas])(?:(\d+)\b|\[(\d+)(?::(\d+))?\])", operand):
        first = int(one or first)
        found += [f"{file}{n}" for n in range(first, int(last or first) + 1)]
    for name in ("vcc", "exec", "flat_scratch", "xnack_mask"):
        if re.search(rf"\b{name}\b", operand):
            found += [name + "_lo", name + "_hi"]
    found += re.findall(r"\b(?:(?:vcc|exec|flat_scratch|xnack_mask)_(?:lo|hi)|m0|ttmp\d+|"
                        r"src_vccz|src_execz)\b", operand)
    return frozenset(found)


def is_vector(register):
    return register[0] in "va" and register[1:].isdigit()


def vector_part(found):
    return frozenset(r for r in found if is_vector(r))


def scalar_part(found):
    return frozenset(r for r in found if not is_vector(r))


class Operands:
    """Of one instruction. All are sets of registers unless they say otherwise."""

    def __init__(self, text):
        head, _, rest = text.partition(" ")
        self.text, self.mnemonic = text, head
        self.kind = "other"  # valu, mfma, salu, vmem, ds, smem, setreg, getreg, other
        self.name = re.sub(r"_(e32|e64|dpp|sdwa|e64_dpp)$", "", head)
        # Operands are apart by ", "; what modifies follows the last, apart by blanks.
        parts = rest.strip().split(", ") if rest.strip() else []
        self.modifiers = ""
        if parts:
            parts[-1], _, self.modifiers = parts[-1].partition(" ")
        self.parts = parts
        self.reads = self.writes = frozenset()
        self.constants = frozenset()  # scalar registers that a vector instruction reads as values
        self.lane_select = frozenset()
        self.store_data = frozenset()  # of a store of more than 64 bits
        self.has_register_offset = False  # of a buffer access: a register is its soffset
        self.is_trans = self.is_dot = self.is_partial = self.is_dpp = False
        self.reads_m0_for_lds = False
        self.passes = self.mfma_type = self.widths = None
        self.a_and_b = self.c = frozenset()
        self.states = 1
        self.decode()

    def sets(self, *parts):
        return frozenset().union(*map(registers, parts))

    def decode(self):
        if self.name.startswith("v_"):
            (self.decode_mfma if self.name.startswith("v_mfma") else
             self.decode_smfmac if self.name.startswith("v_smfmac") else self.decode_vector)()
        elif self.name.startswith("s_"):
            self.decode_scalar()
        else:
            self.decode_memory()

    def refuse(self):
        raise UnknownInstruction(
            f"expected an instruction whose operands are known, found '{self.text}'; add it to "
            "a table of gfx950_operands.py from the ISA guide")

    # ===- Vector instructions -----------------------------------------------===

    def decode_vector(self):
        name, parts = self.name, self.parts
        self.kind = "valu"
        self.is_dpp = "_dpp" in self.mnemonic
        self.is_trans = name in TRANS
        self.is_dot = name in DOT or name in DOT_TIED
        if self.is_dot:
            self.c = registers(parts[0] if name in DOT_TIED else parts[3])
            self.a_and_b = self.sets(*parts[1:3])
        masks = []
        if name == "v_nop":
            return
        if name.startswith(("v_cmp_", "v_cmpx_")):
            out, sources = parts[:1], parts[1:]
        elif name in WITH_MASK_OUT:
            out, sources = parts[:2], parts[2:]
        elif name in SWAPS:
            out, sources = parts[:2], parts[:2]
        elif name == "v_readfirstlane_b32":
            out, sources = parts[:1], parts[1:]
        elif name in ("v_readlane_b32", "v_writelane_b32"):
            self.lane_select = scalar_part(registers(parts[2]))
            out, sources = parts[:1], parts[1:2]
        elif name in PLAIN or name in TRANS or name in DOT or name == "v_cndmask_b32":
            out, sources = parts[:1], parts[1:]
        elif name in TIED or name in DOT_TIED:
            out, sources = parts[:1], parts
        elif re.fullmatch(r"v_div_fmas_f(32|64)", name):
            out, sources = parts[:1], parts[1:]
            masks = ["vcc"]
        else:
            self.refuse()
        if name in WITH_MASK_IN:
            masks, sources = sources[-1:], sources[:-1]
        self.writes = self.sets(*out)
        if name.startswith("v_cmpx_"):
            self.writes |= registers("exec")
        self.is_partial = self.writes_part()
        if self.is_partial or self.is_dpp or name == "v_writelane_b32":
            self.reads = vector_part(self.writes)
        values = self.sets(*sources)
        self.constants = scalar_part(values)
        self.reads |= values | self.sets(*masks) | self.lane_select

    def writes_part(self):
        """Whether the result goes to another place in its register than the lowest bits
        (LLVM PR 100276): SDWA; VOP3 whose op_sel has a place for the result; the byte of a
        conversion to fp8 with stochastic rounding."""
        if "_sdwa" in self.mnemonic:
            return "dst_sel:DWORD" not in self.modifiers and "dst_sel:" in self.modifiers
        if ALWAYS_PARTIAL.match(self.name):
            return True
        bits = re.search(r"\bop_sel:\[([01,]+)\]", self.modifiers)
        if not bits or self.name.startswith(("v_pk_", "v_mad_mix", "v_dot")):
            return False
        bits = bits[1].split(",")
        # The last two say which byte (LLVM PR 117844).
        if re.match(r"v_cvt_(sr_|scalef32_(sr|pk_fp4)_)", self.name):
            return "1" in bits[2:]
        return len(bits) == len(self.parts) and bits[-1] == "1"

    def decode_mfma(self):
        match = MFMA.match(self.name)
        self.kind = "mfma"
        if not match or match[1] == "f64" or len(self.parts) < 4:
            self.refuse()
        if match[4] == "f8f6f4":
            # 0 and 1, which is also what nothing stands for, are the types of 8 bits.
            formats = [int((re.search(rf"\b{n}:(\d)", self.modifiers) or (0, 0))[1])
                       for n in ("cbsz", "blgp")]
            wide = any(f < 2 for f in formats)
            self.widths = [8 if f < 2 else 6 if f < 4 else 4 for f in formats]
            self.passes = {"16x16x128": (4, 8), "32x32x64": (8, 16)}.get(
                match[2], (None, None))[wide]
        else:
            shape = match[2] + (f"_{match[3]}b" if match[3] else "")
            is_fp8 = re.fullmatch(r"(fp8|bf8)_(fp8|bf8)", match[4])
            self.passes = PASSES.get((shape, "fp8" if is_fp8 else match[4]))
        if self.passes is None:
            self.refuse()
        # "SGEMM" of table 38 multiplies f32, "XDL" the narrower types.
        self.mfma_type = "sgemm" if match[4] == "f32" else "xdl"
        self.writes = registers(self.parts[0])
        # Factors of blocks are read as A and B are.
        self.a_and_b = self.sets(self.parts[1], self.parts[2], *self.parts[4:])
        self.c = registers(self.parts[3])
        self.reads = self.a_and_b | self.c

    def decode_smfmac(self):
        """D, which is C, too; A with half of K; B; where the elements of A stand."""
        match = SMFMAC.match(self.name)
        self.kind, self.mfma_type = "mfma", "xdl"
        if not match or len(self.parts) != 4:
            self.refuse()
        # CDNA4 ISA guide, table of 7.6: in the passes of a dense one with half of K.
        self.passes = {"32": 8, "16": 4}[match[1]]
        self.writes = self.c = registers(self.parts[0])
        self.a_and_b = self.sets(*self.parts[1:])
        self.reads = self.a_and_b | self.c

    # ===- Scalar instructions -----------------------------------------------===

    def decode_scalar(self):
        name, parts = self.name, self.parts
        if NOTHING.match(name):
            if name == "s_nop":
                self.states = int(parts[0], 0) + 1
            elif name == "s_sendmsg":
                self.kind = "sendmsg"
        elif SETREG.match(name) or name == "s_getreg_b32":
            self.kind = name[2:8]
            hwreg = re.search(r"hwreg\((\w+)(?:, *(\d+), *(\d+))?\)", self.text)
            if not hwreg:
                self.refuse()
            self.hwreg = hwreg[1]
            first, count = int(hwreg[2] or 0), int(hwreg[3] or 32)
            self.is_vskip = hwreg[1] == "HW_REG_MODE" and (
                first <= VSKIP_BIT < first + count)
        elif SMEM.match(name):
            self.kind = "smem"
            self.writes, self.reads = self.sets(*parts[:1]), self.sets(*parts[1:])
        elif SALU_WITHOUT_RESULT.match(name):
            self.kind, self.reads = "salu", self.sets(*parts)
        elif SALU.match(name):
            self.kind = "salu"
            self.writes, self.reads = self.sets(*parts[:1]), self.sets(*parts[1:])
            if "saveexec" in name or "wrexec" in name:
                self.writes |= registers("exec")
        else:
            self.refuse()

    # ===- Memory ------------------------------------------------------------===

    def decode_memory(self):
        name, parts = self.name, self.parts
        buffer, flat = BUFFER.match(name), FLAT.match(name)
        to_lds = re.search(r"\blds\b", self.modifiers) or "_lds_" in name
        if buffer or flat:
            self.kind = "vmem"
            is_store = (buffer or flat)[1 if buffer else 2] == "store"
            width = (buffer or flat)[2 if buffer else 3]
            if is_store:
                self.reads = self.sets(*parts)
                if width in WIDE_STORES:
                    self.store_data = registers(parts[0 if buffer else 1])
            elif to_lds:
                self.reads = self.sets(*parts) | {"m0"}
                self.reads_m0_for_lds = True
            else:
                self.writes, self.reads = registers(parts[0]), self.sets(*parts[1:])
                if "d16" in width:
                    self.reads |= self.writes
            if buffer:
                self.has_register_offset = bool(registers(parts[-1]))
        elif DS_READ.match(name) or DS_WRITE.match(name):
            self.kind = "ds"
            if DS_READ.match(name):
                self.writes, self.reads = self.sets(*parts[:1]), self.sets(*parts[1:])
            else:
                self.reads = self.sets(*parts)
            self.reads_m0_for_lds = "addtid" in name
        else:
            self.refuse()


# ISA guide, table 28, "Cycles", of which a pass has four (7.6). The AMD Matrix Instruction
# Calculator gives the same cycles. Of fp8 and bf8 every pair takes the same time.
PASSES = {}
for types, row in (
        (("f32",), {"32x32x1_2b": 64, "16x16x1_4b": 32, "4x4x1_16b": 8, "32x32x2": 64,
                    "16x16x4": 32}),
        (("f16", "bf16"), {"32x32x4_2b": 64, "16x16x4_4b": 32, "4x4x4_16b": 8,
                           "32x32x8": 32, "16x16x16": 16, "16x16x32": 16,
                           "32x32x16": 32}),
        (("i8",), {"32x32x4_2b": 64, "16x16x4_4b": 32, "4x4x4_16b": 8, "32x32x16": 32,
                   "16x16x32": 16, "16x16x64": 16, "32x32x32": 32}),
        (("fp8",), {"16x16x32": 16, "32x32x16": 32})):
    PASSES |= {(shape, t): cycles // 4 for t in types for shape, cycles in row.items()}


@functools.lru_cache(maxsize=None)
def decode(text):
    return Operands(text)
