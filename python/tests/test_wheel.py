"""The wheel: built offline, one binary for every Python from 3.11 on, and it
fits and reports when it is installed somewhere else."""
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif("KITH_BUILD" not in os.environ, reason="needs the build")
def test_wheel(tmp_path):
    subprocess.run([ROOT / "scripts/build_wheel.sh", os.environ["KITH_BUILD"],
                    tmp_path], check=True, capture_output=True)
    wheel, = tmp_path.glob("*.whl")
    assert "-cp311-abi3-linux_" in wheel.name
    there = tmp_path / "there"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(there)
    assert not [n for n in names if n.endswith((".c", ".h", ".pyc"))]
    (there / "kith" / "kith-command").chmod(0o755)  # as pip does
    program = """
import numpy as np, kith, sys
model = kith.KMeans(2, epsilon=1, bounds=(0, 1)).fit(np.random.rand(300, 2))
kith.report(model, "page.html")
print(kith.__file__, model.guarantee_)
"""
    env = {k: v for k, v in os.environ.items() if k != "KITH"}
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path,
                          env={**env, "PYTHONPATH": str(there)}, check=True,
                          capture_output=True, text=True)
    assert done.stdout.split() == [str(there / "kith" / "__init__.py"), "exact"]
    assert (tmp_path / "page.html").stat().st_size > 2000


@pytest.mark.skipif(not shutil.which("nm"), reason="needs binutils")
def test_only_the_door_is_open():
    """Nothing but PyInit__core leaves the module."""
    import kith
    shown = subprocess.run(["nm", "-D", "--defined-only",
                            kith._core.__file__], check=True,
                           capture_output=True, text=True).stdout
    assert [line.split()[-1] for line in shown.splitlines()] == ["PyInit__core"]


def test_the_binding_is_small():
    """At most 900 lines of C, comments and blank lines apart."""
    import re
    lines = 0
    for path in (ROOT / "python/src/kith").glob("_*.[ch]"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        lines += sum(1 for line in text.splitlines() if line.strip())
    assert 500 < lines <= 900
