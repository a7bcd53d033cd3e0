# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every rule of wait_states.def that has an effect is in a test of effects.

    emu_effects_complete.py HAZARD_DEF TEST…

The tests name rules as pair("RULE", …), same("RULE", …) for a rule without an effect, or
in a list RULES. Exit code 0: all are there, and none that is not in wait_states.def or is named
as the other kind. 1: not.
"""
import re
import sys


def effects(path):
    """{rule: OLD, LATE or NONE}."""
    with open(path) as file:
        text = file.read()
    rows = dict(re.findall(r'^HAZARD\(\w+,\s*"([^"]+)",.*?(?:ALL|PASSES)\(.*?\),'
                           r'\s*(OLD|LATE|NONE),', text, re.M))
    if not rows or len(rows) != len(re.findall(r"^HAZARD\(", text, re.M)):
        sys.exit(f"{path}: expected rows HAZARD(id, \"name\", …, states, effect, …), found "
                 f"{len(rows)} that are such")
    return rows


def named(paths):
    """(rules with an effect, rules without) that the tests name."""
    with_effect, without = set(), set()
    for path in paths:
        with open(path) as file:
            text = file.read()
        with_effect |= set(re.findall(r'^//\| pair\("([^"]+)"', text, re.M))
        without |= set(re.findall(r'^//\| same\("([^"]+)"', text, re.M))
        for names in re.findall(r"^//\| RULES = \[(.*)\]", text, re.M):
            with_effect |= set(re.findall(r'"([^"]+)"', names))
    return with_effect, without


def main():
    rules = effects(sys.argv[1])
    with_effect, without = named(sys.argv[2:])
    expected = {rule for rule, effect in rules.items() if effect != "NONE"}
    wrong = [f"{rule}: has the effect {rules[rule]}, and no test" for rule in expected - with_effect]
    wrong += [f"{rule}: tested as a rule with an effect, and has none"
              for rule in with_effect - expected]
    wrong += [f"{rule}: tested as a rule without an effect, and is "
              f"{rules.get(rule, 'not in wait_states.def')}"
              for rule in without if rules.get(rule) != "NONE"]
    print("\n".join(sorted(wrong)) or f"{len(expected)} rules with an effect, all tested; "
          f"{len(without)} of the {len(rules) - len(expected)} without one")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
