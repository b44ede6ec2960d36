"""What the kith command does better than a copy of it would: pages, audits."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Sequence

from .errors import ArgumentError, fail

# Exit codes of the command.
_STATUS = {2: "argument", 3: "budget", 4: "input", 5: "store", 6: "entropy"}


def _find() -> str:
    beside = os.path.join(os.path.dirname(__file__), "kith-command")
    found = os.environ.get("KITH") or (
        beside if os.access(beside, os.X_OK) else shutil.which("kith"))
    if not found:
        raise ArgumentError("the kith command is not there: install it, put "
                            "it on PATH, or name it in the variable KITH")
    return found


def _run(arguments: Sequence[Any], fine: Sequence[int] = (0,)) -> str:
    done = subprocess.run([_find(), *map(os.fspath, arguments)],
                          capture_output=True, text=True, check=False)
    if done.returncode not in fine or (done.returncode and not done.stdout):
        words = done.stderr.strip() or f"exit code {done.returncode}"
        fail(_STATUS.get(done.returncode, "internal"), words)
    return done.stdout


def report(model: Any, path: Any, *, names: Optional[Sequence[str]] = None,
           image: Optional[Sequence[int]] = None) -> None:
    """Write one self-contained HTML page about a model: what is promised, how
    far it can be believed, and how to check both. Made from the model file
    alone, so it may be published where the model may.

    model: a fitted estimator, or the path of a model file.
    names: of the features; default: those in the model.
    image: (width, height), when the features are the pixels of a picture.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = model
        if hasattr(model, "model_"):
            source = os.path.join(folder, "model.json")
            model.save(source)
        arguments: List[Any] = ["report", "-o", path]
        if names is not None:
            listed = os.path.join(folder, "names.txt")
            with open(listed, "w", encoding="utf-8") as file:
                file.writelines(str(name) + "\n" for name in names)
            arguments += ["--names", listed]
        if image is not None:
            arguments += ["--image", f"{image[0]}x{image[1]}"]
        _run([*arguments, "--", source])


def audit(*, method: str = "lloyd", epsilon: Optional[float] = None,
          delta: Optional[float] = None, seconds: float = 60) -> Dict[str, Any]:
    """Attack the kith command on rows that the attack makes itself: guess from
    its models who was in the data. Reads none of your rows, spends nothing.

    Returns a dict; its "verdict" is "not disproved" (which is not a proof),
    "disproved" (please report), or "cannot judge" (give it more seconds).
    """
    arguments: List[Any] = ["audit", "--quiet", "--method", method,
                            "--seconds", f"{seconds:g}"]
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if value is not None:
            arguments += [f"--{name}", repr(float(value))]
    facts: Dict[str, Any] = json.loads(_run(arguments, fine=(0, 1)))
    return facts
