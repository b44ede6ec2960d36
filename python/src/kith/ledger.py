"""Ledgers: who has how much budget left, over many fits."""
from __future__ import annotations

import json
from contextvars import ContextVar, Token
from html import escape
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import _core
from .errors import LedgerError

_NEW = 1  # KITH_LEDGER_NEW
_UNIT = 2.0 ** -50  # of amounts

_payer: ContextVar[Optional[Tuple["Ledger", str]]] = ContextVar(
    "kith_payer", default=None)


class Charge(NamedTuple):
    """One fit that an account paid for: epsilon (pure), or mu."""

    entry: int
    at: str
    epsilon: float
    mu: float
    facts: Dict[str, Any]


class Ledger:
    """A budget that several fits share. Every fit with a ledger is charged
    before it draws anything, and refused with BudgetError when the account
    cannot pay. Nothing is refunded, also not after Ctrl-C.

    >>> ledger = kith.Ledger.memory()
    >>> ledger.grant("study", epsilon=2, delta=1e-6)
    >>> with ledger.account("study"):
    ...     model = kith.KMeans(3, epsilon=1, delta=1e-6, bounds=(0, 1)).fit(X)
    >>> ledger.remaining("study")

    Or name both at the estimator: KMeans(..., ledger=ledger, account="study").
    Ledger.memory() lasts as long as this process, Ledger.open("sqlite:team.db")
    for ever: the command and other processes charge the same accounts. A copy
    of a ledger is the ledger itself, so clones share one budget. One in memory
    cannot be pickled, since a worker process would get a budget of its own;
    the pickle of one that lasts is its address.
    """

    def __init__(self, handle: object, uri: str) -> None:
        self._handle = handle
        self.uri = uri

    @classmethod
    def memory(cls) -> "Ledger":
        """A ledger that lasts as long as this process."""
        return cls(_core.ledger_open("memory:", _NEW), "memory:")

    @classmethod
    def open(cls, uri: str, *, new: bool = False) -> "Ledger":
        """A ledger that lasts: "sqlite:PATH" or "postgresql://...". It must be
        there, unless new: a mistyped path is never a fresh, empty budget."""
        if uri == "memory:":
            return cls.memory()
        return cls(_core.ledger_open(uri, _NEW if new else 0), uri)

    def grant(self, account: str, *, epsilon: float, delta: float = 0.0,
              adjacency: str = "add-remove") -> None:
        """Open an account that may spend so much in total, ever."""
        _core.ledger_grant(self._handle, account, {
            "epsilon": epsilon, "delta": delta, "adjacency": adjacency})

    def accounts(self) -> List[str]:
        """The names of all accounts, in order."""
        return _core.ledger_accounts(self._handle)

    def remaining(self, account: str) -> float:
        """What is left, as a fraction of the grant, rounded down."""
        return _core.ledger_read(self._handle, account)[0]

    def charges(self, account: str) -> List[Charge]:
        """Every fit that the account has paid for, the first one first."""
        entries = _core.ledger_read(self._handle, account)[1]
        return [Charge(number, at, pure * _UNIT, (gauss * _UNIT) ** .5,
                       json.loads(body))
                for number, kind, at, body, pure, gauss in entries
                if kind == "charge"]

    def account(self, name: str) -> "_Account":
        """`with ledger.account("study"):` fits in this block are charged to
        it, in this thread or task only."""
        return _Account(self, name)

    # A clone or a copy must not come with a budget of its own.
    def __copy__(self) -> "Ledger":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Ledger":
        return self

    def __reduce__(self) -> Tuple[Callable[..., "Ledger"], Tuple[str]]:
        if self.uri == "memory:":
            raise LedgerError(
                "a ledger in memory cannot be pickled: another process would "
                "get a budget of its own. Take it off first (estimator."
                "set_params(ledger=None)), or use one that lasts (Ledger.open)")
        return Ledger.open, (self.uri,)

    def __repr__(self) -> str:
        return f"Ledger({self.uri!r})"

    def _repr_html_(self) -> str:
        head = f"<div><b>kith.Ledger</b> {escape(self.uri)}</div>"
        rows = "".join(self._row(name) for name in self.accounts())
        return (head + ("<table><tr><th>account</th><th colspan=2>left</th>"
                        f"<th>fits</th></tr>{rows}</table>" if rows
                        else "<div>no account: grant one</div>"))

    def _row(self, name: str) -> str:
        left, fits = self.remaining(name), len(self.charges(name))
        return (f'<tr><td style="text-align:left">{escape(name)}</td><td>'
                f'<svg width="120" height="10" role="img" aria-label="{left:.0%}'
                ' is left"><rect width="120" height="10" fill="#ddd"/><rect '
                f'width="{120 * left:.1f}" height="10" fill="#1b4f72"/></svg>'
                f"</td><td>{left:.1%}</td><td>{fits}</td></tr>")


class _Account:
    def __init__(self, ledger: Ledger, name: str) -> None:
        self._payer = (ledger, name)
        self._tokens: list[Token[Any]] = []

    def __enter__(self) -> Ledger:
        self._tokens.append(_payer.set(self._payer))
        return self._payer[0]

    def __exit__(self, *error: object) -> None:
        _payer.reset(self._tokens.pop())


def payer_of(ledger: Any, account: Optional[str]
             ) -> Optional[Tuple[Ledger, str]]:
    """Who pays for a fit: the estimator's ledger, else this context's."""
    if ledger is None:
        return _payer.get()
    if not isinstance(ledger, Ledger):
        raise TypeError("ledger must be a kith.Ledger")
    if not account:
        raise LedgerError("a ledger needs account=: whose budget is charged?")
    return ledger, account
