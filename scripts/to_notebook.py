#!/usr/bin/env python3
"""Turn a script with `# %%` cells into a notebook without outputs.

    scripts/to_notebook.py python/examples/visits.py visits.ipynb

The script is what is kept and tested: it can be read, compared and run.
"""
import json
import sys


def cells_of(text):
    """(kind, lines) of every cell."""
    kind, lines = "code", []
    for line in text.split("\n"):
        if line.startswith("# %%"):
            if any(lines):
                yield kind, lines
            kind = "markdown" if "[markdown]" in line else "code"
            lines = []
        elif kind == "markdown":
            lines.append(line[2:] if line.startswith("# ") else line.lstrip("#"))
        else:
            lines.append(line)
    if any(lines):
        yield kind, lines


def notebook_of(text):
    cells = []
    for number, (kind, lines) in enumerate(cells_of(text)):
        source = "\n".join(lines).strip("\n").splitlines(keepends=True)
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {},
                "source": source}
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        cells.append(cell)
    return {"cells": cells, "metadata": {"kernelspec": {
        "display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4, "nbformat_minor": 5}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        notebook = notebook_of(file.read())
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
