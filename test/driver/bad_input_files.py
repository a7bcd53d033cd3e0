# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that the cases of bad_input.py name, each made from what is right and
one thing that is wrong with it."""
import json
import os
import re
import struct
import subprocess

KERNEL_FOR = """\
.amdgcn_target "amdgcn-amd-{os}--{chip}"
.text
.globl k
k:
  s_endpgm
.rodata
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 16{accum}
.end_amdhsa_kernel
"""
# Where code objects are cut, in bytes: inside the magic, the header, the program
# headers; FRACTIONS of the whole; so many bytes before its end.
CUT_AT = (0, 1, 4, 16, 63, 64, 200, 1000)
CUT_FRACTIONS = (4, 2)
CUT_BEFORE_END = (64, 1)


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def write(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def replaced(text, pattern, replacement):
    """The text with its first match replaced; there must be one."""
    result, count = re.subn(pattern, replacement, text, count=1)
    assert count == 1, f"nothing matches {pattern!r}"
    return result


def patched(content, at, new):
    return content[:at] + new + content[at + len(new):]


def configurations():
    yield "empty.json", ""
    yield "open.json", '{"head_dim": 128'
    yield "comma.json", '{"mask": "causal",\n}'
    yield "value.json", '{"head_dim": 128,\n "mask": }'
    yield "behind.json", "{} {}"
    yield "array.json", "[128]"
    yield "null.json", "null"
    yield "twice.json", '{"dtype": "bf16", "dtype": "f16"}'
    yield "type.json", '{"head_dim": "128"}'
    yield "zero.json", '{"seqlen": 0128}'
    yield "key.json", '{"head_dmi": 128}'
    yield "mask.json", '{"mask": "casual"}'
    yield "nul.json", b'{"mask": "causal"}\0{}'
    yield "escape.json", '{"mask": "\\x"}'
    yield "single.json", "{'mask': 'causal'}"
    yield "deep.json", "[" * 3000
    # A byte that is no UTF-8, and a character that the message cuts in two.
    yield "bytes.json", b'{"\xff\xfe": 1}'
    yield "cut.json", '{"%s": 1}' % ("x" * 59 + "\u00e9")
    yield "listauto.json", '{"schedule": "auto if Sk <= 1; generic"}'
    yield "listopen.json", '{"schedule": "generic; dualwave"}'
    yield "listword.json", '{"schedule": "generic if Sk < 256; dualwave"}'
    yield "listname.json", '{"schedule": "generic if Sk <= 256; dualwav"}'
    yield "listhead.json", '{"schedule": "generic if Sk <= 256; dualwave_narrow"}'
    yield "listfile.json", '{"schedule": "generic if Sk <= 256; none.mlir"}'
    yield "listvalue.json", '{"schedule": "generic if ceil(Sk / 0) <= 3; generic_wide"}'
    yield "listmany.json", '{"schedule": "%s"}' % "; ".join(["generic if Sk <= 1"] * 9)
    yield "listnone.json", '{"head_dim": 64, "schedule": "generic if Sk <= 1"}'
    yield "reserved.json", '{"dropout": 0.5}'
    yield "dropout.json", '{"dropout": 0.1}'
    yield "splits.json", '{"splits": 2}'
    yield "off.json", '{"dropout": 0, "splits": 0, "split_kv": "none", "page_table": false}'


def npy(descr="'<u2'", order="False", shape="(1, 64, 1, 128)", data=64 * 128 * 2,
        version=1, magic=b"\x93NUMPY", header=None):
    text = header or ("{'descr': %s, 'fortran_order': %s, 'shape': %s, }"
                      % (descr, order, shape))
    text = text.encode("latin-1").ljust(117) + b"\n"
    return (magic + bytes([version, 0]) + struct.pack("<H", len(text)) + text
            + b"\0" * data)


def arrays():
    whole = npy()
    yield "empty.npy", b""
    yield "text.npy", "1.0 2.0\n"
    yield "magic.npy", npy(magic=b"\x93NUMPI")
    yield "version.npy", npy(version=9)
    yield "prefix.npy", whole[:9]
    yield "header.npy", whole[:60]
    yield "cut.npy", whole[:-1]
    yield "longer.npy", whole + b"\0"
    yield "fortran.npy", npy(order="True")
    yield "f8.npy", npy(descr="'<f8'", data=64 * 128 * 8)
    yield "big.npy", npy(descr="'>u2'")
    yield "struct.npy", npy(descr="[('a', '<u2')]")
    yield "f16.npy", npy(descr="'<f2'")
    yield "rank.npy", npy(shape="(64, 128)")
    yield "shape.npy", npy(shape="(1, 128, 1, 64)")
    yield "negative.npy", npy(shape="(1, -64, 1, 128)")
    yield "huge.npy", npy(shape="(9999999999, 9999999999, 1, 128)")
    yield "garbage.npy", npy(header="\x01\x02 not a dictionary")
    yield "noshape.npy", npy(header="{'descr': '<u2', 'fortran_order': False, }")


def schedules(good):
    """`good` is the text of a built-in schedule."""
    def edit(pattern, replacement):
        return replaced(good, pattern, replacement)
    yield "empty.mlir", ""
    yield "comment.mlir", "// nothing\n"
    yield "module.mlir", "module {\n}\n"
    yield "binary.mlir", b"\x7fELF\x02\x01\x01\x00rest"
    yield "cut.mlir", good[:good.rindex("=")]
    yield "key.mlir", edit(r"tile_m\b", "tile_q")
    yield "word.mlir", edit(r"grid = \w+", "grid = longst")
    yield "dialect.mlir", edit("#fmha", "#fhma")
    yield "two.mlir", good + replaced(good, r"@\w+", "@other")
    yield "tile.mlir", edit(r"tile_m = \d+", "tile_m = 100")
    yield "negative.mlir", edit(r"tile_m = \d+", "tile_m = -128")
    yield "overflow.mlir", edit(r"tile_m = \d+", "tile_m = " + "9" * 20)
    yield "waves.mlir", edit(r"waves = \d+", "waves = 99")
    yield "lds.mlir", edit(r"tile_n = \d+", "tile_n = 1024")
    yield "registers.mlir", edit(r"tile_m = \d+", "tile_m = 2048")
    yield "rows.mlir", edit(r"tile_m = \d+", "tile_m = 1099511627776")
    yield "simd.mlir", edit(r"waves_per_simd = \d+", "waves_per_simd = 8")
    yield "shapes.mlir", edit("qk = <m = 32, n = 32, k = 16>", "qk = <m = 16, n = 16, k = 32>")
    yield "grid.mlir", edit("grid = longest_first", "grid = foo")
    yield "slc.mlir", edit("grid = longest_first", "cache = <k = nt slc>")
    yield "nobits.mlir", edit("grid = longest_first", "cache = <k = , v = nt>")
    yield "twobits.mlir", edit("grid = longest_first", "cache = <o = nt sc1 nt>")
    yield "nooperand.mlir", edit("grid = longest_first", "cache = <part_q = nt>")
    yield "nopolicy.mlir", edit("grid = longest_first", "cache = <>")
    yield "deep.mlir", "// one to a line\n" + "module{" * 20000
    yield "signs.mlir", "#m = affine_map<(d) -> (" + "-" * 20000 + "d)>\n"
    yield "order.mlir", edit(r"\bqk, score_mod, mask\b", "mask, qk, score_mod")


def pipelines(good):
    """`good` is the text of dualwave."""
    yield "stages.mlir", good[:good.index("stages = [")] + "stages = []>>\n"
    yield "pined.mlir", replaced(good, "instructions = pinned", "instructions = pined")
    yield "race.mlir", replaced(good, "stagger = 1", "stagger = 2")


def launches():
    def launch(changes="", code="k.hsaco", grid="[1, 1, 1]", block="[64, 1, 1]"):
        return ('{"code_object": "%s",\n "grid": %s,\n "block": %s%s}\n'
                % (code, grid, block, changes))

    def buffer(fields, more=""):
        return launch(',\n "buffers": {"q": {%s}%s}' % (fields, more))

    def argument(fields):
        return launch(',\n "kernarg": [{%s}]' % fields)

    def tensor(fields, name="q"):
        return launch(', "buffers": {"q": {"bytes": 64}},\n'
                      ' "tensors": {"%s": {%s}}' % (name, fields))

    shaped = '"element_bytes": 2, "axes": ["s", "d"], "shape": [4, 8]'
    yield "empty", ""
    yield "open", '{"code_object": "k.hsaco",\n'
    yield "value", launch(',\n "kernel": }')
    yield "behind", launch() + "x"
    yield "array", "[]"
    yield "missing", '{"code_object": "k.hsaco", "grid": [1, 1, 1]}'
    yield "key", launch(', "buffer": {}')
    yield "twice", launch(', "grid": [2, 1, 1]')
    yield "zero", launch(grid="[0, 1, 1]")
    yield "two", launch(grid="[1, 1]")
    yield "fraction", launch(grid="[1.5, 1, 1]")
    yield "text", launch(grid='"1"')
    yield "block", launch(block="[4096, 1, 1]")
    yield "kernel", launch(', "kernel": "kk"')
    yield "lds", launch(', "dynamic_lds": 200000')
    yield "nocode", launch(code="none.hsaco")
    yield "codefolder", launch(code="folder")
    yield "nobytes", buffer("")
    yield "fill", buffer('"bytes": 64, "fill": 256')
    yield "both", buffer('"bytes": 64, "fill": 1, "file": "b.bin"')
    yield "nofile", buffer('"file": "none.bin"')
    yield "size", buffer('"bytes": 64, "file": "b.bin"')
    yield "base", buffer('"bytes": 64, "base": "high"')
    yield "field", buffer('"bytes": 64, "otu": "o.bin"')
    yield "overlap", buffer('"bytes": 64, "base": "0x130000000000"',
                            ', "r": {"bytes": 64, "base": "0x130000000000"}')
    yield "nowhere", buffer('"bytes": 64, "out": "none/o.bin"')
    yield "outs", buffer('"bytes": 64, "out": "o.bin"',
                         ', "r": {"bytes": 64, "out": "o.bin"}')
    yield "nobuffer", launch(', "buffers": {"keys": {"bytes": 64}},\n'
                             ' "kernarg": [{"offset": 0, "buffer": "kyes"}]')
    yield "value2", argument('"offset": 0, "u32": 1, "f32": 2')
    yield "novalue", argument('"offset": 0')
    yield "range", argument('"offset": 0, "u8": 256')
    yield "real", argument('"offset": 0, "f32": "half"')
    yield "argkey", argument('"offset": 0, "u23": 1')
    yield "argfile", launch(', "kernarg_file": "none.bin"')
    yield "outside", launch(', "workgroups": [[1, 0, 0]]')
    yield "grid", launch(grid="[4294967295, 4294967295, 4294967295]")
    yield "gridlong", launch(grid="[1, 2147483648, 1]")
    yield "gridneg", launch(grid="[-1, 1, 1]")
    yield "gridhalf", launch(grid="[1.5, 1, 1]")
    yield "gridhuge", launch(grid="[1e300, 1, 1]")
    yield "private", launch(code="private.hsaco")
    yield "wide", buffer('"bytes": 70368744177664, "fill": 255')
    yield "minus", argument('"offset": 0, "u64": " -1"')
    yield "long", argument('"offset": 0, "u64": "18446744073709551616"')
    yield "many", launch(', "kernarg": [%s]' % ", ".join(
        '{"offset": %d, "u8": 1}' % i for i in range(4097)))
    yield "manybuffers", launch(', "buffers": {%s}' % ", ".join(
        '"b%d": {"bytes": 1}' % i for i in range(4097)))
    yield "buffertwice", launch(', "buffers": {"q": {"bytes": 1}, "q": {"bytes": 1}}')
    yield "tensors", launch(', "tensors": []')
    yield "tensor", launch(', "tensors": {"q": 1}')
    yield "tensorbuffer", tensor(shaped, "qq")
    yield "tensorkey", tensor(shaped + ', "stride": 1')
    yield "tensorelement", tensor('"axes": ["s"], "shape": [4]')
    yield "tensoraxes", tensor('"element_bytes": 2, "axes": [], "shape": []')
    yield "tensornames", tensor('"element_bytes": 2, "axes": ["s", 1], "shape": [4, 8]')
    yield "tensorshape", tensor('"element_bytes": 2, "axes": ["s", "d"], "shape": [4]')
    yield "tensorextent", tensor('"element_bytes": 2, "axes": ["s"], "shape": [-1]')
    yield "tensorend", tensor(shaped + ', "add": 2')
    yield "tensoroutput", tensor(shaped + ', "output": 1')
    yield "tensorstrides", tensor(shaped + ', "output": true, "strides_bytes": [0, 2]')
    yield "ragged", tensor(shaped + ', "ragged": {"axis": "x", "starts": [0]}')
    yield "raggedtwo", tensor(shaped + ', "ragged": {"axis": "s", "starts": [0], "lengths": [1]}')
    yield "raggedrows", tensor(shaped + ', "ragged": {"axis": "s", "starts": [0, 5]}')
    yield "good", launch()


def assemble(folder, llvm, name, chip="gfx950", system="amdhsa", accum=True):
    text = KERNEL_FOR.format(
        os=system, chip=chip, accum="\n  .amdhsa_accum_offset 4" if accum else "")
    obj = os.path.join(folder, name + ".o")
    run(os.path.join(llvm, "llvm-mc"), f"-triple=amdgcn-amd-{system}",
        f"-mcpu={chip}", "-filetype=obj", "-o", obj, "-", input=text.encode())
    run(os.path.join(llvm, "ld.lld"), "-shared", obj, "-o",
        os.path.join(folder, name + ".hsaco"))


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def descriptor_at(code_object):
    """Where the descriptor of the only kernel lies in the file: its symbol, the one
    of 64 bytes, through the only read-only segment that holds it."""
    phoff, shoff = struct.unpack_from("<QQ", code_object, 32)
    phnum, _, shnum = struct.unpack_from("<HHH", code_object, 56)
    for section in range(shnum):
        kind, = struct.unpack_from("<I", code_object, shoff + 64 * section + 4)
        offset, size = struct.unpack_from("<QQ", code_object, shoff + 64 * section + 24)
        for at in range(offset, offset + size, 24) if kind == 11 else ():
            address, length = struct.unpack_from("<QQ", code_object, at + 8)
            for segment in range(phnum) if length == 64 else ():
                kind, _, start, base, _, held = struct.unpack_from(
                    "<IIQQQQ", code_object, phoff + 56 * segment)
                if kind == 1 and base <= address < base + held:
                    return start + address - base
    raise ValueError("no kernel descriptor")


def code_objects(folder, fmhac, llvm):
    """Writes what tools make; yields what is made from it."""
    # One kernel, which launches need not name.
    run(fmhac, "compile", "--schedule", "dualwave_1tile", "-o", os.path.join(folder, "good.hsaco"))
    good = read(folder, "good.hsaco")
    assemble(folder, llvm, "k")
    assemble(folder, llvm, "gfx942", chip="gfx942")
    assemble(folder, llvm, "gfx1100", chip="gfx1100", accum=False)
    run(os.path.join(llvm, "llvm-mc"), "-triple=x86_64-linux-gnu",
        "-filetype=obj", "-o", os.path.join(folder, "host.o"), "-", input=b"ret\n")
    run(os.path.join(llvm, "ld.lld"), "-shared", os.path.join(folder, "host.o"),
        "-o", os.path.join(folder, "host.hsaco"))
    cuts = ([(f"{at}", at) for at in CUT_AT]
            + [(f"1_{part}", len(good) // part) for part in CUT_FRACTIONS]
            + [(f"less_{less}", len(good) - less) for less in CUT_BEFORE_END])
    for name, at in cuts:
        yield f"cut_{name}.hsaco", good[:at]
    yield "text.hsaco", "this is a text of more than sixty-four bytes, no code object\n" * 2
    yield "bundle.hsaco", b"__CLANG_OFFLOAD_BUNDLE__" + b"\0" * 64
    yield "class.hsaco", patched(good, 4, b"\1")
    yield "endian.hsaco", patched(good, 5, b"\2")
    yield "osabi.hsaco", patched(good, 7, b"\0")
    yield "abi.hsaco", patched(good, 8, b"\x09")
    yield "machine.hsaco", patched(good, 18, struct.pack("<H", 243))
    yield "sections.hsaco", patched(good, 0x28, b"\xff" * 8)
    # 4 GiB less 16 bytes of private memory a lane: bytes 4 to 7 of the descriptor,
    # which with a stack of dynamic size (bit 11 of bytes 56 and 57) is more.
    small = read(folder, "k.hsaco")
    at = descriptor_at(small)
    yield "private.hsaco", patched(patched(small, at + 4, b"\xf0\xff\xff\xff"),
                                   at + 57, b"\x08")
    # A kernel without the note that describes it.
    run(os.path.join(llvm, "llvm-objcopy"), "--remove-section=.note",
        os.path.join(folder, "good.hsaco"), os.path.join(folder, "nonote.hsaco"))


def make(folder, fmhac, llvm):
    """Everything that the cases name, in `folder`."""
    for name, content in (*configurations(), *arrays(),
                          *code_objects(folder, fmhac, llvm)):
        write(folder, name, content)
    for schedule, files in (("generic", schedules), ("dualwave", pipelines)):
        good = subprocess.run([fmhac, "list", "--print-schedule", schedule],
                              check=True, capture_output=True, text=True).stdout
        for name, content in files(good):
            write(folder, name, content)
    for name, content in launches():
        write(folder, f"launch_{name}.json", content)
    for name in os.listdir(folder):
        if name.endswith((".hsaco", ".o")):
            write(folder, f"emu_{name}.json", json.dumps(
                {"code_object": name, "grid": [1, 1, 1], "block": [64, 1, 1]}))
    write(folder, "b.bin", b"\0" * 32)
    write(folder, "folder/kept", "a file that stays as it is\n")
    write(folder, "out.hsaco", "an output of before\n")
    write(folder, "out.npy", "an output of before\n")
    write(folder, "o.bin", "an output of before\n")
    os.symlink("loop", os.path.join(folder, "loop"))
