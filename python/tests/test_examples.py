"""The two notebooks run as they are, from top to bottom."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name, files", [
    ("visits", {"visits.json", "visits.html"}), ("digits", set())])
def test_example(name, files, tmp_path):
    notebook = tmp_path / f"{name}.ipynb"
    subprocess.run([ROOT / "scripts/to_notebook.py",
                    ROOT / f"python/examples/{name}.py", notebook], check=True)
    cells = json.loads(notebook.read_text())["cells"]
    assert cells[0]["source"][0].startswith("# ") and len(cells) > 8
    code = "\n\n".join("".join(c["source"]) for c in cells
                       if c["cell_type"] == "code")
    folder = tmp_path / "run"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code],
                          cwd=folder,
                          env={**os.environ, "MPLBACKEND": "Agg"},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {p.name for p in folder.iterdir()} == files
    if name == "visits":
        assert "refused:" in done.stdout and "age" in done.stdout
    else:
        assert "cost with privacy / without: 1.0" in done.stdout
