"""How far a fit is: a bar on a terminal or in a notebook, or what the caller
gives."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional

from .errors import ArgumentError

PATIENCE = 2.0  # seconds before a bar that nobody asked for is shown
PAUSE = 0.1     # between two drawings


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and hasattr(running, "kernel")


class Bar:
    """Steps that are done, never counts of rows."""

    def __init__(self, wanted: bool) -> None:
        self._since = time.monotonic()
        self._wait = 0.0 if wanted else PATIENCE
        self._last = -1.0
        self._shown = False
        self._handle: Any = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic() - self._since
        if now < self._wait or now - self._last < PAUSE:
            return
        self._last = now
        self._shown = True
        self._draw(done, total, now)

    def _draw(self, done: int, total: int, seconds: float) -> None:
        words = "reading" if done == 0 else f"step {done} of {total}"
        if _in_notebook():
            self._draw_html(done, total, f"{words}, {seconds:.0f} s")
            return
        full = 24 * done // max(total, 1)
        sys.stderr.write(f"\rkith [{'#' * full:24}] {words}, {seconds:.0f} s  ")
        sys.stderr.flush()

    def _draw_html(self, done: int, total: int, words: str) -> None:
        from IPython.display import HTML, display

        page = HTML(f'<progress value="{done}" max="{max(total, 1)}">'
                    f'</progress> kith: {words}')
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def close(self) -> None:
        """Leave nothing behind."""
        if self._handle is not None:
            from IPython.display import HTML

            self._handle.update(HTML(""))
        elif self._shown:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()


def _follow(bar: Any) -> Callable[[int, int], None]:
    """A tqdm object, by its update."""
    def tell(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
    return tell


def watcher(progress: Any) -> Optional[Callable[[int, int], object]]:
    """What the fit tells its steps to; None: nobody."""
    if progress is None:
        seen = sys.stderr is not None and sys.stderr.isatty()
        return Bar(False) if seen or _in_notebook() else None
    if progress is True:
        return Bar(True)
    if progress is False:
        return None
    if hasattr(progress, "update") and hasattr(progress, "n"):
        return _follow(progress)
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    raise ArgumentError("progress is None, True, False, a function of (done, "
                        "total), or a tqdm bar")
