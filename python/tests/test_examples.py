"""The two notebooks run as they are, from top to bottom, by Jupyter's kernel."""
import json
import re
import subprocess
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name, files", [
    ("visits", {"visits.json", "visits.html"}), ("digits", set())])
def test_example(name, files, tmp_path, monkeypatch):
    notebook = tmp_path / f"{name}.ipynb"
    subprocess.run([ROOT / "scripts/to_notebook.py",
                    ROOT / f"python/examples/{name}.py", notebook], check=True)
    cells = json.loads(notebook.read_text())["cells"]
    assert cells[0]["source"][0].startswith("# ") and len(cells) > 8
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own
    ran = nbclient.NotebookClient(
        nbformat.read(notebook, 4), timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [o for c in ran.cells if c.cell_type == "code"
               for o in c.outputs]
    assert not [o for o in outputs if o.output_type == "error"]
    said = "".join(o.text for o in outputs if o.output_type == "stream"
                   and o.name == "stdout")
    shown = [o.data for o in outputs if "data" in o]
    assert any("image/png" in data for data in shown)  # plots
    cards = [data["text/html"] for data in shown if "text/html" in data]
    assert any("epsilon" in card for card in cards)
    assert not any("<script" in card for card in cards)
    assert {p.name for p in folder.iterdir()} == files
    if name == "visits":
        assert "refused:" in said and "age" in said
    else:
        # Fresh noise: 1.001 to 1.006 in 61 runs, and below 1 where it finds
        # better places than scikit-learn. The notebook holds it below 1.1.
        ratio, = re.findall(r"cost with privacy / without: ([\d.]+)\n", said)
        assert .9 < float(ratio) < 1.1
