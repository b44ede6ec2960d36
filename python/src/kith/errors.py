"""What can go wrong, by the status of the library. All are KithError."""
from __future__ import annotations

from typing import NoReturn


class KithError(Exception):
    """Something that kith refused or could not do; `status` says which."""

    status = "internal"


class ArgumentError(KithError, ValueError):
    """A parameter makes no sense."""

    status = "argument"


class PrivacyError(KithError, ValueError):
    """Privacy parameters or bounds are missing or unusable."""

    status = "privacy"


class InputError(KithError, ValueError):
    """The rows are not what they should be."""

    status = "input"


class BudgetError(KithError, RuntimeError):
    """The budget was refused: nothing was released."""

    status = "budget"


class LedgerError(KithError, OSError):
    """The ledger or a file cannot be reached."""

    status = "store"


class EntropyError(KithError, OSError):
    """The system has no secure randomness: nothing was released."""

    status = "entropy"


class InternalError(KithError, RuntimeError):
    """An invariant did not hold: please report."""

    status = "internal"


class NotPrivateWarning(UserWarning):
    """What you are about to get is exact, or can be drawn again: not private."""


_BY_STATUS = {kind.status: kind for kind in (
    ArgumentError, PrivacyError, InputError, BudgetError, LedgerError,
    EntropyError, InternalError)}


def fail(status: str, message: str) -> NoReturn:
    """What the extension calls when the library says no."""
    if status == "memory":
        raise MemoryError(message)
    raise _BY_STATUS.get(status, InternalError)(message)
