#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes first inputs for the fuzzers: FOLDER/TARGET/…, all made here or assembled
from the tests of this tree. `run.py --merge` keeps of them what reaches most.

    seeds.py FOLDER [--llvm-bin DIR]
"""
import argparse
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "emu")
CHUNK_BYTES = 192

KERNEL = """\
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version {version}
.text
{code}
"""
ONE = """\
.globl {name}
.p2align 8
.type {name},@function
{name}:
{body}
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 8
  .amdhsa_group_segment_fixed_size 64
  .amdhsa_kernarg_size 64
  {more}
.end_amdhsa_kernel
.text
"""
NOTE = """\
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 80
    .group_segment_fixed_size: 64
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .max_flat_workgroup_size: 256
    .vgpr_count: 8
    .agpr_count: 0
    .sgpr_count: 16
    .vgpr_spill_count: 0
    .sgpr_spill_count: 0
    .uses_dynamic_stack: true
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 4, .value_kind: by_value}
      - {.offset: 16, .size: 4, .value_kind: hidden_block_count_x}
      - {.offset: 28, .size: 2, .value_kind: hidden_group_size_x}
.end_amdgpu_metadata
"""


def modules():
    """Assembly of whole code objects."""
    plain = ONE.format(name="k", body="", more="")
    yield KERNEL.format(version=5, code=plain + NOTE)
    yield KERNEL.format(version=6, code=plain)
    yield KERNEL.format(version=4, code=plain + ONE.format(
        name="other", body="  s_branch other\n  v_nop", more=""))
    yield KERNEL.format(version=5, code=ONE.format(
        name="preload", body="  .fill 64, 4, 0xbf800000\n  s_nop 0",
        more=".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
        "  .amdhsa_user_sgpr_kernarg_preload_length 2"))
    yield KERNEL.format(version=5, code=ONE.format(
        name="calls", more="", body="""\
  s_getpc_b64 s[0:1]
  s_add_u32 s0, s0, 32
  s_swappc_b64 s[2:3], s[0:1]
  s_cbranch_scc1 calls
  s_setpc_b64 s[2:3]
  .long 0xffffffff"""))
    # An address in the data: a relocation.
    yield KERNEL.format(version=5, code=plain) + """\
.data
.globl table
table:
  .quad k
  .quad table + 8
"""


def artefacts():
    """Payloads of cache entries, in MessagePack."""
    def text(word):
        data = word.encode()
        return bytes([0xd9, len(data)]) + data

    def key(word):
        return bytes([0xa0 | len(word)]) + word.encode()

    def entry(number, when):
        """The map of fmhac_entry_pack(), and lds_bytes."""
        pairs = [("kernel", text("attn")), ("schedule", text("generic")),
                 ("grid", b"\x93" + text("ceil(Sq / 128)") + text("min(CUs, B * Hq)") + text("1")),
                 ("when", text(when))]
        pairs += [(k, number) for k in ("block_threads", "tile_m", "tile_n", "row_rounding",
                                        "matrix_flops", "required_args")]
        pairs += [("scale", text("fma")), ("order", text("linear")), ("lds_bytes", number)]
        return bytes([0x80 | len(pairs)]) + b"".join(key(k) + v for k, v in pairs)

    def payload(request, code, entries):
        pairs = [("key", text(request)), ("code", bytes([0xc4, len(code)]) + code),
                 ("log", text("remark: no\n")),
                 ("entries", bytes([0x90 | len(entries)]) + b"".join(entries))]
        return bytes([0x80 | len(pairs)]) + b"".join(key(k) + v for k, v in pairs)

    one, large, wide = b"\x01", b"\xce\xff\xff\xff\xff", b"\xcf" + b"\xff" * 8
    yield payload("build 3\nabc\nconfig 2\n{}\nschedule 0\n\n", b"\x7fELF", [entry(one, "")])
    yield payload("", b"", [entry(large, "Sk <= 256"), entry(one, "")])
    yield payload("config 9\nx\n", b"x", [entry(wide, "")])
    yield payload("", b"", [entry(one, "x" * 127)] * 8)
    yield payload("", b"", [entry(one, "x" * 128)])
    yield payload("", b"", [entry(one, "")] * 9)
    yield payload("", b"", [])
    yield payload("", b"", [entry(one, "")[:-1] + b"\xc0"])
    yield b"\xdf\xff\xff\xff\xff"


def messages():
    """Payloads of the compiler's protocol, whole and damaged, and streams of frames."""
    def text(value):
        return b"\xc0" if value is None else b"\xc4" + bytes([len(value)]) + value

    def payload(kind, numbers, texts):
        return (b"\x93" + bytes([kind]) + b"\x95" +
                b"".join(b"\xce" + struct.pack(">I", n) for n in numbers) +
                b"\xdc" + struct.pack(">H", len(texts)) + b"".join(text(t) for t in texts))

    def frame(body):
        return b"FMHM" + struct.pack("<I", len(body)) + body

    count = 7 + 3 * 8  # texts of a message
    none = [None] * count
    texts = [b"build", b"{}", b"generic", None, None, b"", b"x" * 40, b"generic", b"Sk <= 256", None,
             b"./a.mlir", b"", b"y" * 40]
    good = [payload(kind, [kind, 0, 1, 0xFFFFFFFF, 7], texts + [None] * (count - len(texts)))
            for kind in range(6)]
    for body in good:
        yield b"\0" + body
    yield b"\1" + b"".join(map(frame, good))
    yield b"\1" + frame(good[0])[:-1]
    yield b"\1" + b"FMHN" + frame(good[0])[4:]
    yield b"\1" + b"FMHM\xff\xff\xff\x0f" + good[0]
    yield b"\1" + b"FMHM\xff\xff\xff\xff" + good[0]
    for body in (payload(6, [0] * 5, none), payload(200 - 128, [0] * 5, none), good[1] + b"\xc0",
                 good[1][:-3], b"\x93\x01\x94" + good[1][3:], b"\xdd\xff\xff\xff\xff\x01",
                 b"\x93\x01\xdd\x10\0\0\0\x01", b"\x91" * 600 + b"\x01",
                 payload(1, [0] * 5, none).replace(b"\xc0", b"\xa1x", 1),
                 payload(1, [0] * 5, none).replace(b"\xce\0\0\0\0", b"\xcf" + b"\xff" * 8, 1),
                 b"", b"\xc1", b"\x93\x01\x95\x01\x02\x03\x04\x05\xdc\0\x1f" +
                 b"\xc6\xff\xff\xff\xff" * count, payload(1, [0] * 5, none[1:])):
        yield b"\0" + body


def tables():
    """Tables of schedules, whole and damaged."""
    old = ("dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,"
           "other_seconds,other_cycles,problem\n")
    row = "bf16|f16,1-64,*,none|causal,plain,*,dualwave,1e-5,10,generic,0.5,7,B1 Hq64\n"
    few = row.replace("plain,*,", "plain,1-256,")
    new = old.replace("keys", "page_size,scales,keys,q_rows,workgroups")
    rows = ("# c\n\nbf16/fp8/f16,64,8-128,*,softcap|bias,0,none,1-256,1,9-64,generic,1,1,-,-,-,B1\n"
            "fp8,*,8,window|chunked,functions,16-64,head|token,*,*,*,./a.mlir,1,1,-,-,-,B2\n"
            "*,*,*,*,*,*,*,257-2147483647,16-32,2-3,dualwave,1,1,-,-,-,B3\n"
            "*,*,*,*,*,*,*,*,*,*,dualwave,1,1,-,-,-,B3\n")
    for text in ("", "# c\n", old, old + row, old + row + row, old + few + row, old + few * 9 + row,
                 old + "".join(few.replace("256", str(n)) for n in range(1, 12)) + row,
                 old + few.replace("1-256", "256-1"), old + few.replace("1-256", "0"),
                 old.replace("keys,", ""), new + rows, new + row,
                 ",".join(reversed(old.strip().split(","))) + "\r\nB1,-,-,-,1,1,generic,1-9,"
                 "plain,none,64,64,f16\r\n",
                 old + row.replace("|", "\0"), old + row.replace("1-64", "64-1"),
                 old + row.replace("1e-5", "nan"), old + row.replace("generic", "-"),
                 old.replace("mask", "dtype"), old.replace(",problem", "") + row):
        yield text


def argument_groups():
    """Fields of each group of kernel arguments as a note has them: each at the next multiple of
    its size."""
    groups, offset = {}, 0
    with open(os.path.join(HERE, "..", "..", "lib", "abi", "fmhac_abi.def"),
              encoding="utf-8") as file:
        for kind, name, group in re.findall(r"^FMHAC_ARG\((\w+), (\w+), (\w+),", file.read(), re.M):
            size = 4 if kind.endswith("32") else 8
            offset = (offset + size - 1) // size * size
            groups.setdefault(group, []).append(f"{kind} {name}@{offset}")
            offset += size
    return {group: ", ".join(fields) for group, fields in groups.items()}


def notes():
    """Assembly of code objects with a note of fmhac; the target fills in its digest."""
    known = argument_groups()

    def text(word):
        data = word.encode()
        return bytes([0xda, len(data) >> 8, len(data) & 255]) + data

    def key(word):
        return bytes([0xa0 | len(word)]) + word.encode()

    def entry(numbers, when="", grid=("ceil(Sq / 128)", "Hq", "B"), kernel="k"):
        fields = key("kernel") + text(kernel) + key("schedule") + text("generic")
        fields += key("grid") + bytes([0x90 | len(grid)]) + b"".join(map(text, grid))
        fields += key("when") + text(when)
        names = ("block_threads", "tile_m", "tile_n", "row_rounding", "matrix_flops",
                 "required_args")
        for name, number in zip(names, numbers):
            fields += key(name) + b"\xce" + struct.pack(">I", number)
        fields += key("scale") + text("q") + key("order") + text("linear")
        return b"\x8d" + fields + key("schedule_text") + text("")

    def note(config, groups, entries, more=b"", pairs=6):
        description = bytes([0x80 | pairs]) + key("config") + text(config)
        description += key("versions") + text("fmhac") + key("abi_version") + b"\x01"
        description += key("arg_groups") + bytes([0x80 | len(groups)])
        for name, fields in groups.items():
            description += key(name) + text(fields)
        description += key("entries") + bytes([0x90 | len(entries)]) + b"".join(entries)
        description += more + key("digest") + b"\xd9\x20" + b"0" * 32
        return (f'.section .note.fmhac,"a",@note\n.long 6, {len(description)}, 1\n'
                f'.asciz "fmhac"\n.balign 4\n.byte {", ".join(map(str, description))}\n'
                ".balign 4\n")

    def some(*names):
        return {name: known[name] for name in names}

    plain = KERNEL.format(version=5, code=ONE.format(name="k", body="", more="") + NOTE)
    core = some("CORE")
    numbers = (256, 128, 64, 256, 1000, 1)
    one = [entry(numbers)]
    yield plain + note('{"mask": "causal"}', core, one)
    yield plain + note('{"lse": true, "bias": true, "cu_seqlens_q": true}',
                       some("CORE", "LSE", "VARLEN_Q", "BIAS"),
                       [entry((256, 1, 64, 0xffffffff, 1, 1031))])
    yield plain + note("{}", core, [entry((1024, 128, 64, 64, 1, 3))],
                       key("more") + b"\xdf\xff\xff\xff\xff", pairs=7)
    # Several entries; conditions and grids that are none; a kernel that is not there.
    yield plain + note("{}", core, [entry(numbers, "Sk <= 256 and 2 <= B"), *one])
    yield plain + note("{}", core, [entry(numbers, f"Sk <= {i}") for i in range(8)])
    yield plain + note("{}", core, one * 9)
    yield plain + note("{}", core, [])
    yield plain + note("{}", core, [entry(numbers, "Sk < 256")])
    yield plain + note("{}", core, [entry(numbers, grid=("max(CUs, (Sq - 1) * 2)", "splits", "B +"))])
    yield plain + note("{}", core, [entry(numbers, grid=("1", "1"))])
    yield plain + note("{}", core, [*one, entry(numbers, kernel="other")])
    # Groups of other tables.
    yield plain + note("{}", {**core, "QUEUE": "ptr queue@500"}, one)
    yield plain + note("{}", {"CORE": "u64 field_mask@0, ptr q@16, u32 k@, @, v"}, one)
    yield plain + note("{}", {"CORE": known["CORE"] + ", ptr more@500", "": ""}, one)
    yield plain


def launches():
    head = '{"code_object": "k.hsaco", "grid": [1,1,1], "block": [64,1,1]'
    two = '"buffers": {"o": {"bytes": 256, "out": "o.bin"%s}, "q": {"bytes": 256, "fill": 1}}'
    args = '"kernarg": [{"offset": 0, "buffer": "o"}, {"offset": 8, "buffer": "q"}]'
    yield head + "}"
    yield f'{head}, {two % ""}, {args}}}'
    base = ', "base": "0x130000000000"'
    yield f'{head}, {two % base}, {args}, "kernarg_bytes": 64, "dynamic_lds": 1024}}'
    yield (f'{head}, {two % ""}, {args}, "tensors": {{"o": {{"element_bytes": 4, '
           '"axes": ["s", "d"], "shape": [4, 16], "output": true}, "k": {"buffer": "q", '
           '"add": 64, "element_bytes": 2, "axes": ["b", "s", "d"], "shape": [2, 3, 8], '
           '"strides_bytes": [64, 16, 2], "ragged": {"axis": "s", "lengths": [1, 3]}}}}')
    yield (f'{head}, {two % ""}, {args}, "tensors": {{"o": {{"element_bytes": 1, '
           '"axes": ["s"], "shape": [256], "ragged": {"axis": "s", "starts": [0, 9, 255]}, '
           '"output": true}}}')
    yield (head + ', "kernel": "k", "buffers": {"f": {"file": "f.bin"}, '
           '"g": {"file": "g.bin", "bytes": 64, "base": 4096}}, "kernarg_file": "ka.bin", '
           '"workgroups": [[0,0,0]]}')
    yield (head.replace("[1,1,1]", "[4,3,2]") + ', "kernarg": [{"offset": 0, "u32": 7}, '
           '{"offset": 4, "f32": 0.5}, {"offset": 8, "u64": "0xffffffffffffffff"}, '
           '{"offset": 16, "i32": -1}, {"offset": 24, "i64": -2}, {"offset": 32, "u16": 1}, '
           '{"offset": 34, "u8": 1}, {"offset": 40, "f64": "nan"}, {"offset": 48, "f32": "inf"}], '
           '"workgroups": [[3,2,1],[0,0,0]]}')
    yield (f'{head}, "buffers": {{"o": {{"bytes": 70368744177664, "fill": 255}}}}, '
           '"kernarg": [{"offset": 0, "buffer": "o", "add": -8}]}')
    yield head.replace("k.hsaco", "missing.hsaco") + "}"
    yield head.replace("k.hsaco", "k.bin") + "}"
    yield head + ', "kernel": "\\u006b\\n", "buffers": {"\\u00e9": {"bytes": 0}}}'
    yield "[" * 2000
    yield head + ', "gird": 1}'
    yield head + ', "buffers": {"a": {"bytes": 1, "out": "sealed"}}}'


def arrays():
    def npy(descr, shape, data, version=1, order="False"):
        text = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
                % (descr, order, shape)).encode() + b"\n"
        size = struct.pack("<H" if version == 1 else "<I", len(text))
        return b"\x93NUMPY" + bytes([version, 0]) + size + text + b"\x01" * data

    yield npy("<u2", "(1, 2, 1, 8)", 32)
    yield npy("<f2", "(3,)", 6)
    yield npy("<f4", "()", 4, version=2)
    yield npy("<i4", "(2L, 0)", 0, version=3)
    yield npy("<f8", "(1,)", 8)
    yield npy("<u2", "(2, 2)", 8, order="True")
    yield npy("<u2", "(4294967296, 4294967296, 2)", 8)
    yield npy("<u2", "(99999999999999999999999, 0)", 0)
    yield b"\x93NUMPY\x01\x00\xff\xff"


def configurations():
    yield "{}"
    yield ('{"dtype": "f16", "head_dim": 64, "mask": "window:128,-1", "lse": true, '
           '"schedule": "generic", "softcap": 30.5}')
    yield ('{"head_dim_qk": 192, "head_dim_v": 128, "mask": "chunked:512", "sink": "s.npy", '
           '"bias": true, "score_mod": "f.mlir", "alibi": false}')
    yield '{"batch": 2, "heads": 8, "kv_heads": 2, "seqlen": 300, "scale": -1e-3, "seed": 7}'
    yield '{"layout": "bhsd", "q_strides": "1,2,3", "seqlen_q": 1, "seqlen_kv": 2147483647}'
    yield '{"cu_seqlens_q": true, "seqlens_q": true}'
    yield '{"page_size": 64, "q_scale": "token", "split_kv": "fixed", "workspace": 1099511627776}'
    yield '{"page_table": true, "split_kv": "auto", "splits": 4, "dropout": 0.5, "split_chunk": 1}'
    yield '{"mask": "casual"}'
    yield '{"schedule": "generic if Sk <= 256 and 2 <= B * Hq; a if b.mlir if Sq <= 1; auto"}'
    yield '{"schedule": "generic if min(Sq, ceil(Sk / 2)) <= max(CUs - 1, (splits)); x; auto"}'
    yield '{"schedule": "\\u00e9\\ud83d\\ude00/x.mlir", "softcap": 1e-310}'
    yield '{"softcap": 0.' + "1" * 80 + "}"
    yield '{"head_dim": 1' + "0" * 80 + "}"
    yield "[[[1, null], {\"a\": \"\\x\"}]"


def command_lines():
    yield "--dtype\nbf16\n--head-dim=128\n--mask\ncausal\n--lse\n--json"
    yield "--config\ninput\n--head-dim\n64\0" + '{"dtype": "f16", "head_dim": 128}'
    yield "--batch=2\n--heads=4\n--kv-heads\n2\n--seqlen=300\n--scale=0x1p-3\n--seed=1e3"
    yield "--check=mem,wait,race\n--sched=random:7\n--landing=after:3:4\n--threads=2\n-o\nout"
    yield "--sched=rr:16\n--landing=late\n--\nname\n--x"
    yield "--alignment=natural\n--descriptors=mapped\n--placement\nadversarial"
    yield "--hed-dim=1\n--q-strides=1,2,3"
    yield "--help"
    yield "--lse=maybe\n--softcap=nan\n--sink=s.npy\n-"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def assemble(llvm, source, folder, linked, strip=True):
    path = os.path.join(folder, "k")
    with open(path + ".s", "w", encoding="utf-8") as file:
        file.write(source)
    run(os.path.join(llvm, "llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950",
        "-filetype=obj", "-I", os.path.join(TESTS, "Inputs"), path + ".s", "-o",
        path + ".o")
    if not linked:
        run(os.path.join(llvm, "llvm-objcopy"), "-O", "binary", "--only-section=.text",
            path + ".o", path + ".bin")
        with open(path + ".bin", "rb") as file:
            return file.read()
    run(os.path.join(llvm, "ld.lld"), "-shared", "--no-undefined", "-z",
        "max-page-size=64", *(["-s"] if strip else []), path + ".o", "-o",
        path + ".hsaco")
    with open(path + ".hsaco", "rb") as file:
        return file.read()


def code_of_tests(llvm, folder):
    """The machine code of the emulator's own tests."""
    for here, _, names in sorted(os.walk(TESTS)):
        for name in sorted(names):
            if not name.endswith(".s") or "Inputs" in here:
                continue
            with open(os.path.join(here, name), encoding="utf-8") as file:
                source = file.read()
            try:
                yield assemble(llvm, source, folder, linked=False)
            except subprocess.CalledProcessError:
                print(f"seeds: {name} does not assemble by itself, left out",
                      file=sys.stderr)


def chunks(code):
    for at in range(0, len(code), CHUNK_BYTES):
        yield code[at:at + CHUNK_BYTES]


def seeds(llvm, folder):
    """(target, bytes)."""
    for payload in artefacts():
        yield "artefact", payload
    for content in messages():
        yield "message", content
    for text in launches():
        yield "launch", text.encode()
    for content in arrays():
        yield "npy", content
    for text in configurations():
        yield "config", text.encode()
    for text in tables():
        yield "table", text.encode()
    for text in command_lines():
        yield "args", text.encode()
    for source in modules():
        content = assemble(llvm, source, folder, linked=True)
        yield "module", content
        yield "inspect", content
    for source in notes():
        yield "code", assemble(llvm, source, folder, linked=True)
    with open(os.path.join(TESTS, "wait", "line_tables.s"), encoding="utf-8") as file:
        yield "lines", assemble(llvm, file.read(), folder, linked=True, strip=False)
    for number, code in enumerate(code_of_tests(llvm, folder)):
        for part in chunks(code):
            yield "decode", part
            yield "audit", part
            settings = bytes([number * 11 & 255, 0x63 if number % 3 else 0xa3, 0xf0 if number % 2 else 0xc5,
                              number & 255, number & 15, 0, 0, number & 255])
            yield "execute", settings + part


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--llvm-bin", default=None)
    options = parser.parse_args()
    llvm = options.llvm_bin or run("llvm-config-22", "--bindir").decode().strip()
    count = 0
    with tempfile.TemporaryDirectory() as work:
        for target, content in seeds(llvm, work):
            folder = os.path.join(options.folder, target)
            os.makedirs(folder, exist_ok=True)
            name = hashlib.sha1(content).hexdigest()
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            count += 1
    print(f"{count} inputs in {options.folder}")


if __name__ == "__main__":
    main()
