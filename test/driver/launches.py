#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several launches of one LAUNCH.json: the kernels of a code object with two entries, the
second on the results of the first, against two runs by themselves with a file between
them; their order, findings, times and parts; and what is refused."""
import argparse
import copy
import json
import os
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--fmhac", required=True)
args = parser.parse_args()


def run(folder, *command, code=0):
    done = subprocess.run([args.fmhac, *command], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, FMHAC_CACHE="off"))
    assert done.returncode == code, (command, code, done)
    return done


def emu(folder, launch, *options, code=0):
    with open(os.path.join(folder, "x.json"), "w", encoding="utf-8") as file:
        json.dump(launch, file)
    return json.loads(run(folder, "emu", "--json", *options, "x.json", code=code).stdout)


def refused(folder, launch, words):
    with open(os.path.join(folder, "x.json"), "w", encoding="utf-8") as file:
        json.dump(launch, file)
    text = run(folder, "emu", "x.json", code=2).stderr
    assert words in text, (words, text)


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


START = ("kernel", "grid", "block", "dynamic_lds", "kernarg", "kernarg_bytes")
ROWS = 200  # of a tile of 128 and of one of 256 a part
folder = tempfile.TemporaryDirectory()
root = folder.name
run(root, "run", "--mask", "causal", "--heads", "2", "--seqlen", str(ROWS), "--schedule",
    f"generic if Sk <= {ROWS}; dualwave_1tile", "--save-launch", ".")
with open(os.path.join(root, "LAUNCH.json"), encoding="utf-8") as file:
    saved = json.load(file)
report = json.loads(run(root, "inspect", "--json", saved["code_object"]).stdout)
few, many = report["note"]["entries"]
assert saved["kernel"] == few["kernel"], saved["kernel"]
assert few["when"] == f"Sk <= {ROWS}" and many["when"] == ""

# The second kernel takes O for Q.
first = {key: saved[key] for key in START}
second = copy.deepcopy(first)
second["kernel"] = many["kernel"]
second["grid"] = [-(-ROWS // many["tile_m"]), 2, 1]
second["block"] = [many["block_threads"], 1, 1]
for argument in second["kernarg"]:
    argument["buffer"] = {"q": "o", "o": "o2"}.get(argument.get("buffer"), argument.get("buffer"))
    if argument["buffer"] is None:
        del argument["buffer"]
both = {"code_object": saved["code_object"], "buffers": copy.deepcopy(saved["buffers"]),
        "tensors": {"o": saved["tensors"]["o"],
                    "o2": dict(saved["tensors"]["o"], buffer="o2")},
        "launches": [first, second]}
size = both["buffers"]["o"]["bytes"]
both["buffers"]["o"] = {"bytes": size, "out": "o.both"}
both["buffers"]["o2"] = {"bytes": size, "out": "o2.both"}
del both["tensors"]["o"]["output"]

# Each by itself.
alone = {key: both[key] for key in ("code_object", "buffers")}
alone["buffers"] = {name: dict(b) for name, b in both["buffers"].items()}
alone["buffers"]["o"]["out"] = "o.alone"
del alone["buffers"]["o2"]
emu(root, {**alone, **first})
alone["buffers"]["o"] = {"bytes": size, "file": "o.alone"}
alone["buffers"]["o2"] = {"bytes": size, "out": "o2.alone"}
emu(root, {**alone, **second})

result = emu(root, both, "--check=all")
assert result["ok"] and result["findings"] == [], result
assert read(root, "o.both") == read(root, "o.alone") != bytes(size)
assert read(root, "o2.both") == read(root, "o2.alone") != read(root, "o.alone")
one, two = result["launches"]
assert (one["kernel"], two["kernel"]) == (few["kernel"], many["kernel"])
assert one["workgroups"] == 4 and two["workgroups"] == 2 and result["workgroups"] == 6
assert result["instructions"] == one["instructions"] + two["instructions"]
text = run(root, "emu", "x.json").stdout
assert f"launch 1, {many['kernel']}: 2 workgroups" in text and "6 workgroups" in text, text

# Of a plan with several launches `run` counts all, and says how many they are.
work = os.path.join(root, "work")
counts = json.loads(run(root, "run", "--json", "--work=list", "--split-kv=auto", "--heads", "2",
                        "--seqlen-q", "1", "--seqlen-kv", "3000", "--save-launch", work).stdout)
assert counts["pass"] and counts["launches"] == 3, counts
saved_work = json.loads(run(work, "emu", "--json", "LAUNCH.json").stdout)
assert len(saved_work["launches"]) == 3
for key in ("workgroups", "instructions", "matrix_instructions"):
    assert counts[key] == sum(launch[key] for launch in saved_work["launches"]), (key, counts)
counts = json.loads(run(root, "run", "--json", "--heads", "2", "--seqlen", str(ROWS)).stdout)
assert counts["launches"] == 1, counts

# The other way round the first one reads what nobody has written.
turned = dict(both, launches=[second, first])
findings = emu(root, turned, "--check=all", code=1)["findings"]
assert any(f["check"] == "init" and f["launch"] == 0 for f in findings), findings
text = run(root, "emu", "--check=all", "x.json", code=1).stderr
assert "fmhac emu: finding: launch 0: init: " in text, text
# The launch that is traced reads what the first has not been given.
traced = run(root, "trace", "x.json", "--launch=1", "--check=all", "--json", "-o", "t.json", code=1)
assert any(f["launch"] == 0 for f in json.loads(traced.stdout)["findings"]), traced.stdout
assert "fmhac trace: finding: launch 0: init: " in traced.stderr, traced.stderr
# Outputs are the launches' to write together: what a part of a grid leaves is no finding, and
# what none of them writes is one of the last.
lacking = copy.deepcopy(both)
lacking["launches"][1]["workgroups"] = [[0, 1, 0]]
result = emu(root, lacking, "--check=all")
assert [launch["workgroups"] for launch in result["launches"]] == [4, 1], result
lacking["tensors"] = {"o2": dict(both["tensors"]["o2"], output=True),
                      "o": dict(both["tensors"]["o"], output=True)}
del lacking["launches"][1]["workgroups"]
assert emu(root, lacking, "--check=all")["findings"] == []
lacking["launches"] = [first, first]
findings = emu(root, lacking, "--check=all", code=1)["findings"]
assert [f["launch"] for f in findings] == [1] and "output o2" in findings[0]["message"], findings

# Times stand with each launch, their sum at the top; other orders of waves change nothing.
result = emu(root, both, "--timing", "--repeat-schedules=2")
assert result["repeats"]["different"] == []
times = [launch["seconds"] for launch in result["launches"]]
assert abs(result["seconds"] - sum(times)) < 1e-12 and min(times) > 0, result["seconds"]
assert [len(launch["per_workgroup"]) for launch in result["launches"]] == [4, 2]
assert "per_workgroup" not in result
trace = json.loads(run(root, "trace", "x.json", "--launch=1", "--json", "-o", "t.json").stdout)
assert trace["kernel"] == many["kernel"], trace
assert "expected a launch of x.json below 2, found 2" in run(
    root, "trace", "x.json", "--launch=2", "-o", "t.json", code=2).stderr

refused(root, dict(both, grid=[1, 1, 1]), '"launches" excludes "grid"')
refused(root, dict(both, launches=[]), "launches: expected at least one launch")
refused(root, dict(both, launches=3), "launches: expected an array")
wrong = copy.deepcopy(both)
del wrong["launches"][1]["block"]
refused(root, wrong, 'launches[1]: key "block" is missing')
wrong = copy.deepcopy(both)
wrong["launches"][1]["kernarg"][0]["offset"] = -1
refused(root, wrong, "launches[1].kernarg[0]")
wrong = copy.deepcopy(both)
wrong["launches"][0]["code_object"] = "x"
refused(root, wrong, "launches[0]")
# What can be seen of the second is said before the first runs.
os.remove(os.path.join(root, "o.both"))
for key, value, words in (
        ("kernel", "nobody", "launch 1: expected \"kernel\" to name one of the 2 of "),
        ("kernel", None, "found no name"),
        ("dynamic_lds", 163840, "launch 1: expected at most 163840 bytes of LDS"),
        ("block", [many["block_threads"], 2, 1],
         f"launch 1: launch of {many['kernel']}: block [{many['block_threads']},2,1] has"),
        ("block", [1024, 1024, 1], "has 1048576 work-items, at most"),
        ("block", [2**32 - 1] * 3, "has at least 18446744073709551615 work-items, at most"),
        ("grid", [2**31, 1024, 1024], "launch 1: launch of"),
        ("grid", [2**26, 1, 1], "launch parts of the grid, or select workgroups of it"),
        ("kernarg_file", "none.bin", "launch 1: ")):
    wrong = copy.deepcopy(both)
    wrong["launches"][1][key] = value
    if value is None:
        del wrong["launches"][1][key]
    if key == "kernarg_file":
        del wrong["launches"][1]["kernarg"]
        del wrong["launches"][1]["kernarg_bytes"]
    with open(os.path.join(root, "x.json"), "w", encoding="utf-8") as file:
        json.dump(wrong, file)
    done = run(root, "emu", "x.json", code=3 if key == "grid" else 2)
    assert words in done.stderr and "launch 0" not in done.stdout, (words, done)
# An error that only the launch finds, too: arguments of which some are not filled in. What
# was found before it is printed.
unfilled = [dict(a, u64=1 << 40) if a["offset"] == 0 else a for a in second["kernarg"]]
wrong = dict(both, launches=[second, dict(second, kernarg=unfilled)])
with open(os.path.join(root, "x.json"), "w", encoding="utf-8") as file:
    json.dump(wrong, file)
done = run(root, "emu", "x.json", code=2)
assert "error: launch 1: launch of " in done.stderr and "launch 0" in done.stdout, done
done = run(root, "trace", "x.json", "--launch=1", "--check=all", "--json", "-o", "t.json", code=2)
assert "error: launch 1: launch of " in done.stderr, done
assert "fmhac trace: finding: launch 0: init: " in done.stderr, done
done = json.loads(done.stdout)
assert "launch 1: " in done["error"] and done["exit_code"] == 2, done
assert any(f["launch"] == 0 and f["check"] == "init" for f in done["findings"]), done
folder.cleanup()
print("ok")
