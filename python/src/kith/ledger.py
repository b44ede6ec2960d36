"""Ledgers: who has how much budget left, over many fits."""
from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, Dict, NoReturn, Optional, Tuple

from . import _core
from .errors import LedgerError

_payer: ContextVar[Optional[Tuple["Ledger", str]]] = ContextVar(
    "kith_payer", default=None)


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
    A copy of a ledger is the ledger itself, so clones share one budget; a
    ledger in memory cannot be pickled, since a worker process would get a
    budget of its own.
    """

    def __init__(self, handle: object, uri: str) -> None:
        self._handle = handle
        self.uri = uri

    @classmethod
    def memory(cls) -> "Ledger":
        """A ledger that lives as long as this process."""
        return cls(_core.ledger_memory(), "memory:")

    def grant(self, account: str, *, epsilon: float, delta: float = 0.0,
              adjacency: str = "add-remove") -> None:
        """Open an account that may spend so much in total, ever."""
        _core.ledger_grant(self._handle, account, {
            "epsilon": epsilon, "delta": delta, "adjacency": adjacency})

    def remaining(self, account: str) -> float:
        """What is left, as a fraction of the grant, rounded down."""
        return _core.ledger_remaining(self._handle, account)

    def account(self, name: str) -> "_Account":
        """`with ledger.account("study"):` fits in this block are charged to
        it, in this thread or task only."""
        return _Account(self, name)

    # A clone or a copy must not come with a budget of its own.
    def __copy__(self) -> "Ledger":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Ledger":
        return self

    def __reduce__(self) -> NoReturn:
        raise LedgerError(
            "a ledger in memory cannot be pickled: another process would get "
            "a budget of its own. Take it off first "
            "(estimator.set_params(ledger=None)), or use a ledger that lasts")

    def __repr__(self) -> str:
        return f"Ledger({self.uri!r})"


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
