#!/usr/bin/env python3
"""Lines of at most 120 characters in pages that programs write.

    bench/wrap.py FILE...      paragraphs and lists that have a longer line

Tables, code and headings stay as they are.
"""
import re
import sys
import textwrap

COLUMNS = 120
FIXED = re.compile(r"^(\||#|    |```|<)")
ITEM = re.compile(r"^([-*] |\d+\. )")


def fill(lines):
    """A paragraph, or one entry of a list."""
    if all(len(line) <= COLUMNS for line in lines):
        return lines
    mark = ITEM.match(lines[0])
    indent = " " * len(mark.group()) if mark else ""
    return textwrap.wrap(" ".join(line.strip() for line in lines), COLUMNS,
                         subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def wrap(text):
    out, part, code = [], [], False
    for line in text.split("\n"):
        fixed = code or not line.strip() or FIXED.match(line)
        if line.startswith("```"):
            code = not code
        if part and (fixed or ITEM.match(line)):
            out += fill(part)
            part = []
        if fixed:
            out.append(line)
        else:
            part.append(line)
    return "\n".join(out + fill(part) if part else out)


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(wrap(text))


if __name__ == "__main__":
    main()
