#!/usr/bin/env python3
r"""Prints src/vehicle/mavlink/events/px4-checks.ts: the messages of PX4's preflight checks.

    .ci/px4-checks/generate.py all_events.json.xz... | npx biome format --stdin-file-path=px4-checks.ts > \
        src/vehicle/mavlink/events/px4-checks.ts

PX4's build makes one all_events.json.xz for each version (etc/extras/ of its SITL); the oldest goes first. The newest
wording counts. A parameter is named only when all versions that have the check name it, and a check whose arguments
differ between versions is left out, because the vehicle's version is not known when an event comes.
"""

import json
import lzma
import os
import re
import sys

PX4 = "1"
GROUPS = ("arming_check", "health")
TYPES = {"uint8_t": "u8", "int8_t": "i8", "uint16_t": "u16", "int16_t": "i16", "float": "f32"}
# Which modes it is about, and the index of its component: every check begins with them.
HEAD = ["navigation_mode_group_t", "uint8_t"]

LICENSE = open(os.path.join(os.path.dirname(__file__), "LICENSE"), encoding="utf-8").read().strip()


def read(path):
    with lzma.open(path) as file:
        components = json.load(file)["components"]
    enums = {**components["0"]["enums"], **components[PX4]["enums"]}
    # As health-report.ts reads the summaries.
    assert enums["health_component_t"]["type"] == "uint32_t"
    checks = {}
    for group in GROUPS:
        for number, event in components[PX4]["event_groups"][group]["events"].items():
            types = [argument["type"].removeprefix("px4::") for argument in event.get("arguments", [])]
            if "type" in event or types[: len(HEAD)] != HEAD:
                continue
            arguments = [(kind, enums.get(kind)) for kind in types[len(HEAD) :]]
            params = re.findall(r"<param>(\w+)</param>", event.get("description", ""))
            checks[int(number)] = (event["message"].replace("\\", ""), arguments, params)
    modes = {mode: int(group) for group, all in components[PX4]["navigation_mode_groups"]["groups"].items() for mode in all}
    return checks, modes


checks, modes, differing = {}, {}, set()
for path in sys.argv[1:]:
    more, its_modes = read(path)
    for number, (message, arguments, params) in more.items():
        if number in checks:
            _, known, named = checks[number]
            params = [name for name in params if name in named]
            if known != arguments:
                differing.add(number)
        checks[number] = (message, arguments, params)
    modes |= its_modes

checks = {number: check for number, check in sorted(checks.items()) if number not in differing}
enums = {kind: enum for _, arguments, _ in checks.values() for kind, enum in arguments if enum}


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


print("/*")
print("\n".join(f" * {line}".rstrip() for line in LICENSE.split("\n")))
print(" */\n")
print("/** Event id → message, the types of the arguments that follow a check's own two, the parameters that configure it. */")
print("export const PX4_CHECKS: Readonly<Record<number, readonly [string, string, string]>> = {")
for number, (message, arguments, params) in checks.items():
    types = " ".join(TYPES.get(kind, kind) for kind, _ in arguments)
    print(f"{number}: [{quoted(message)}, {quoted(types)}, {quoted(' '.join(params))}],")
print("};\n")
print("/** The texts of an argument, from 0; each is a u8. */")
print("export const PX4_ENUMS: Readonly<Record<string, readonly string[]>> = {")
for name, enum in sorted(enums.items()):
    assert enum["type"] == "uint8_t" and not enum.get("is_bitfield")
    texts = [enum["entries"][str(value)]["description"] for value in range(len(enum["entries"]))]
    print(f"{name}: [{', '.join(map(quoted, texts))}],")
print("};\n")
print("/** custom_mode → the number of its bit in a check's modes. */")
print("export const PX4_MODE_GROUPS: Readonly<Record<number, number>> = {")
for mode, group in sorted(modes.items(), key=lambda entry: entry[1]):
    print(f"{mode}: {group},")
print("};")
