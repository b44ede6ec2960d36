#!/usr/bin/env python3
"""Files as a table in C, for kithd (tools/kithd/server.h, static_file).

usage: embed_files.py OUT.c NAME=PATH...
"""
import sys

out, *pairs = sys.argv[1:]
lines = ["/* Made by scripts/embed_files.py. */", '#include "server.h"', ""]
table = []
for i, pair in enumerate(sorted(pairs)):
    name, path = pair.split("=", 1)
    with open(path, "rb") as file:
        data = file.read()
    lines.append(f"static const unsigned char file_{i}[] = {{")
    for at in range(0, len(data), 16):
        lines.append("    " + "".join(f"{b}," for b in data[at:at + 16]))
    lines += ["    0};", ""]
    table.append(f'    {{"{name}", file_{i}, {len(data)}}},')
lines += ["const static_file static_files[] = {", *table, "    {0}};", ""]
with open(out, "w", encoding="utf-8") as file:
    file.write("\n".join(lines))
