# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A signal ends the search of `fmhac tune`: the best so far is checked and written.

The signal is sent when tune has told of something better, so that there is something to keep;
the budget would last for days, and there is no bound on candidates.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile


def wait_for(stream, words):
    """The lines up to one that has the words."""
    for line in stream:
        if words in line:
            return True
    return False


def tune(fmhac, folder, sent, more, words):
    """Exit code, JSON and text of errors of a search that is ended by a signal after `words`."""
    env = {**os.environ, "FMHAC_CACHE": "off"}
    env.pop("FMHAC_DISPATCH", None)
    command = [fmhac, "tune", "--head-dim", "64", "--heads", "1", "--seqlen", "512", "--json",
               "--threads", "1", "--seed", "3", "-o", "found.mlir", *more]
    with open(os.path.join(folder, "out"), "w+") as out:
        with subprocess.Popen(command, cwd=folder, env=env, stdout=out, stderr=subprocess.PIPE,
                              text=True) as process:
            if not wait_for(process.stderr, words):
                sys.exit(f"FAIL: tune never said '{words}'")
            process.send_signal(sent)
            rest = process.stderr.read()
        out.seek(0)
        return process.returncode, out.read(), rest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    failures = 0

    def expect(holds, what):
        nonlocal failures
        if not holds:
            print("FAIL:", what)
            failures += 1

    with tempfile.TemporaryDirectory() as folder:
        # O follows the maximum at every step, and waits: what is found soon is far better.
        with open(os.path.join(options.source, "passes/schedules/dualwave.mlir")) as file:
            text = file.read().replace("rescale = lazy, lazy_log2 = 8", "rescale = eager")
        with open(os.path.join(folder, "slow.mlir"), "w") as file:
            file.write(text)
        found = os.path.join(folder, "found.mlir")
        for sent in signal.SIGINT, signal.SIGTERM:
            code, out, rest = tune(options.fmhac, folder, sent,
                                   ["--schedules", "./slow.mlir", "--budget", "999999"], "(-")
            expect(code == 0, f"{sent.name}: exit code {code}: {rest}")
            expect("interrupted: the best so far is checked and written" in rest,
                   f"{sent.name}: nothing said: {rest}")
            result = json.loads(out) if code == 0 else {}
            expect(result.get("ended_by") == "signal", f"{sent.name}: {out}")
            expect(result.get("check", {}).get("pass") is True, f"{sent.name}: not checked")
            expect(result.get("changes"), f"{sent.name}: what was found is not there")
            written = os.path.exists(found) and open(found).read()
            expect(written and written.endswith(result.get("text", "?")),
                   f"{sent.name}: found.mlir is not what was found")
            if written:
                os.remove(found)
        # While schedules are compared: the best of those that were is written.
        code, out, rest = tune(options.fmhac, folder, signal.SIGINT, ["--budget", "0"],
                               "cycles a KV tile")
        result = json.loads(out) if code == 0 else {}
        expect(code == 0 and result.get("ended_by") == "signal", f"comparison: {code}: {rest}")
        expect("schedules are compared" in rest, f"comparison: nothing said: {rest}")
        expect(os.path.exists(found), "comparison: no schedule")
    print("FAIL" if failures else "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
