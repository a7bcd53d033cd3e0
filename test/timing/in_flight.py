# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `fmhac inspect` says of the loads that a loop has on their way, by hand.

    in_flight.py --fmhac FMHAC IN_FLIGHT.hsaco
"""
import argparse
import json
import subprocess

WIDE, NARROW, PAIR = 1024, 256, 512  # bytes of a load of 16, 4 and 8 bytes a lane
WAVES = 16  # of a compute unit: 128 of 512 registers each; a workgroup is one


def run(fmhac, *words):
    return subprocess.run([fmhac, *words], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("code")
    options = parser.parse_args()
    k = {c["name"]: c["value"] for c in
         json.loads(run(options.fmhac, "bench", "--constants", "--json"))["constants"]}
    kernel, = json.loads(run(options.fmhac, "inspect", "--json", options.code))["kernels"]
    both, direct, whole, none = (loop["in_flight"] for loop in kernel["loops"])

    # vmcnt(3) leaves the narrow load of the trip before and two new ones; then come a store, a narrow load and two
    # of the next trip.
    at_wait = NARROW + 2 * WIDE + NARROW + 2 * WIDE
    wait, = both["waits"]
    assert (wait["vmcnt"], wait["instructions"], wait["wave_bytes"]) == (3, 7, at_wait), wait
    assert both["loads"] == 3 and both["load_bytes"] == 2 * WIDE + NARROW, both
    assert both["instructions"] == 7 and both["wave_bytes"] == at_wait, both
    assert both["to_lds_bytes"] == 0 and both["waves"] == WAVES, both
    # The vector cache has no more on its way than this.
    assert both["cu_bytes"] == k["l1_flight_bytes"] < WAVES * at_wait, both
    assert both["limit"] == "vector_cache", both

    # vmcnt counts to 63.
    assert direct["waits"] == [] and direct["instructions"] == 63, direct
    assert direct["wave_bytes"] == direct["to_lds_bytes"] == 63 * WIDE, direct

    wait, = whole["waits"]
    assert (wait["vmcnt"], wait["instructions"], wait["wave_bytes"]) == (0, 1, PAIR), wait
    assert whole["cu_bytes"] == WAVES * PAIR and whole["limit"] == "waves", whole
    assert none is None
    # What a share of the bandwidth needs: bytes a ns of a compute unit, times the latency.
    for level in ("hbm", "mall"):
        need = k[f"{level}_bytes_per_ns"] / k["compute_units"] * k[f"{level}_latency_ns"]
        assert abs(both[f"{level}_needs_bytes"] / need - 1) < 1e-9, (level, both, need)
    text = run(options.fmhac, "inspect", options.code)
    assert f"at most 7 instructions, {at_wait} bytes; waits vmcnt(3) with 7" in text, text
    assert f"{WAVES} waves, {WAVES * PAIR} bytes, limited by loads and waves" in text, text


if __name__ == "__main__":
    main()
