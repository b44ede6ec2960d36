#!/usr/bin/env python3
"""verify_all.py KITH CHECKER FOLDER: both checkers on every model there.

The two must print the same and agree on the exit status; a model that promises
something must hold. Prints each that does not.
"""
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys

kith, checker, folder = sys.argv[1:]
spec = importlib.util.spec_from_file_location("kith_verify", checker)
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
bad = 0
for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        code = verify.main(["--json", path])
    other = subprocess.run([kith, "verify", "--json", path],
                           capture_output=True, text=True)
    promises = json.load(open(path))["privacy"]["guarantee"] != "none"
    verdict = json.loads(text.getvalue())["verdict"]
    if (other.stdout, other.returncode) != (text.getvalue(), code):
        print(f"FAILED: {name}: the checkers differ\n{text.getvalue()}\n"
              f"{other.stdout}")
        bad += 1
    elif verdict != ("holds" if promises else "no promise"):
        print(f"FAILED: {name}: {verdict}\n{text.getvalue()}")
        bad += 1
sys.exit(bad > 0)
