#!/usr/bin/env python3
"""Check the privacy promise of a kith model without trusting kith.

    kith_verify.py [--json] [--key K.pub] [--ledger L] MODEL

L is sqlite:PATH, or a file of `kith budget export` (PostgreSQL): the entry that
paid for the model must be there, in a chain that is intact, and name the file.

Needs Python's standard library only and shares no code with kith: sums are
exact (fractions), the normal law has 60 digits (decimals). `kith verify` is a
second implementation in C; both print the same (docs/verify.md).
Exit status: 0 holds; 1 does not, or cannot be judged; 2 usage; 4 not a model,
or no key.
"""
import base64
import hashlib
import json
import math
import os
import re
import sqlite3
import sys
import urllib.parse
from decimal import Decimal, localcontext
from fractions import Fraction

MOST_RELEASES, MOST_PROBLEMS, MOST_DEPTH = 100000, 20, 64
# mechanism -> (norm, proved in pure DP, proved in Gaussian DP)
MECHANISMS = {
    "discrete-laplace": ("l1", True, False),
    "k-norm": ("l2", True, False),
    "wishart": ("trace", True, False),
    "permute-and-flip": ("score", True, False),
    "exponential": ("score", True, True),
    "rounded-gaussian": ("l2", False, True),
}
# kind -> fields of its files, besides FIELDS
FIELDS = {"kith", "kind", "dimension", "method", "privacy", "version"}
OF_CENTERS = {"k", "parameters", "quality", "centers", "weights",
              "distinct_centers", "sensible_clusters", "choice_of_k",
              "collected", "simulated", "rounds", "forecast"}
KINDS = {
    "kmeans": OF_CENTERS,
    "kmedian": OF_CENTERS,
    "subspace": {"k", "parameters", "quality", "subspace_dimension", "bases"},
    "bounds": {"ranges", "rows"},
}
OF_PRIVACY = {"model", "unit", "adjacency", "guarantee", "epsilon", "delta",
              "mu", "releases", "note", "ledger", "per_user", "rows_per_user",
              "bounds"}
MOST_NAMED = 5  # of the fields that no run writes
LOCAL_MECHANISMS = ("krr", "olh", "hadamard", "codebook", "gaussian")
SELECTION = Fraction(6267, 10000)  # mu of a selection of range 1
ROOM = 64  # sums are taken around points of the bounds, or of a projection

HEADLINES = {
    "does not hold": "Does not hold: this file is not what it claims to be.",
    "cannot be judged": "Cannot be judged. This file has something that this "
                        "checker does not know.",
    "no promise": "No promise. This file says of itself that it is not "
                  "private: keep it as secret as the rows.",
    "not a model": "Not a kith model.",
}
SECRETS = {
    ("row", "add-remove"): "whether or not any one row is in the data",
    ("row", "replace-one"): "whatever any one row says",
    ("user", "add-remove"): "whether or not any one person is in the data",
    ("user", "replace-one"): "whatever any one person's rows say",
}
NOT_CHECKED = (
    "that the noise was drawn, from a secure generator",
    "that rows were clipped so that they move no release by more than its "
    "sensitivity",
    "that no other file was made from these rows: losses add up (ask for the "
    "ledger)",
)
NOT_CHECKED_LOCAL = (
    "that every device drew its own noise, from a secure generator",
    "that no user answered more often than listed",
    "that no other file was made with these users: losses add up (ask for the "
    "ledger)",
)
NOT_CHECKED_USERS = (
    "that only the listed number of rows was kept of each person"
)
NOT_CHECKED_BEYOND = (
    "the fields that no run writes: nothing is promised of them, and they may "
    "hold rows"
)
NOT_CHECKED_SMOOTH = (
    "the noise of the line with smooth sensitivity: its scale depends on the "
    "rows, so it is not told"
)


class NotAModel(Exception):
    """The file is no model; the reason is for people."""


# ---- reading ---------------------------------------------------------------


def no_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise NotAModel("a field is given twice")
    return dict(pairs)


def finite(text):
    value = float(text)
    if math.isinf(value):
        raise ValueError
    return value


def whole(text):
    value = int(text)
    if not -2**63 <= value < 2**63:
        raise ValueError
    return value


def refuse_constant(_):
    raise ValueError


def check_escapes(text):
    """No NUL and no half of a surrogate pair: C strings cannot hold them."""
    high_ends = None
    for match in re.finditer(r"\\(?:u([0-9a-fA-F]{4})|.)", text, re.S):
        code = int(match.group(1) or "20", 16)
        low = 0xDC00 <= code < 0xE000
        if code == 0 or low != (high_ends == match.start()):
            raise ValueError
        high_ends = match.end() if 0xD800 <= code < 0xDC00 else None
    if high_ends is not None:
        raise ValueError


def too_deep(value, left):
    if left == 0:
        return True
    inside = value.values() if isinstance(value, dict) else value
    return any(too_deep(v, left - 1) for v in inside
               if isinstance(v, (dict, list)))


def read_model(path):
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        model = json.loads(text, object_pairs_hook=no_duplicates,
                           parse_float=finite, parse_int=whole,
                           parse_constant=refuse_constant)
        check_escapes(text)
    except OSError:
        raise NotAModel("the file cannot be read") from None
    except ValueError:
        raise NotAModel("it is not JSON") from None
    except RecursionError:
        raise NotAModel("it is nested too deeply") from None
    if not isinstance(model, (dict, list)):
        raise NotAModel("it is not JSON")
    if too_deep(model, MOST_DEPTH):
        raise NotAModel("it is nested too deeply")
    if not isinstance(model, dict) or type(model.get("kith")) is not int:
        raise NotAModel("no field 'kith'")
    if not isinstance(model.get("privacy"), dict):
        raise NotAModel("no field 'privacy'")
    return model


# ---- small things ----------------------------------------------------------


def number(value, least=1e-60, most=1e60):
    """The value as a float if it is a number in this range, else None."""
    if type(value) not in (int, float):
        return None
    value = float(value)
    return value if least <= value <= most else None


def clean(text, most=60):
    """Bytes of the file, as printable ASCII that is short."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "?"
                   for b in text[:most])


def g(value, digits=6):
    return "%.*g" % (digits, float(value))


class Finding:
    """What is known so far about one file."""

    def __init__(self):
        self.wrong, self.unknown = [], []
        self.beyond = []  # fields that no run writes
        self.promise = self.recomputed = self.signature = None
        self.total = self.paid = self.bought = None
        self.none = self.smooth = self.local = False
        self.fatal = None
        self.group = 1  # rows of one of the units

    def bad(self, where, words):
        self.wrong.append((where, words))

    def strange(self, where, words):
        self.unknown.append((where, words))

    def verdict(self):
        return ("not a model" if self.fatal else
                "does not hold" if self.wrong else
                "cannot be judged" if self.unknown else
                "no promise" if self.none else "holds")


# ---- the normal law --------------------------------------------------------


def upper_tail(x):
    """Pr[N > x] = 1/2 - density(x) (x + x^3/3 + x^5/15 + ...)."""
    term = total = x
    n = 1
    while total + term != total or n == 1:
        n += 2
        term = term * x * x / n
        total += term
    density = (-x * x / 2).exp() / (2 * pi()).sqrt()
    return Decimal("0.5") - density * total


def arctan_of_inverse(n):
    power, total, k = Decimal(1) / n, Decimal(0), 1
    while power:
        step = power / k
        if total + step == total:
            break
        total += step if k % 4 == 1 else -step
        power /= n * n
        k += 2
    return total


def pi():
    """Machin's formula."""
    return 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)


def delta_of(epsilon, mu):
    """The delta that mu-Gaussian DP has at epsilon (Dong, Roth, Su 2022)."""
    if epsilon / mu - mu / 2 > 40:
        return Decimal(0)  # below 1e-340
    largest = epsilon / mu + mu / 2
    with localcontext() as context:
        # Tails are differences from 1/2: so many digits are lost.
        context.prec = 60 + int(largest * largest / 4) + 10
        e, m = Decimal(epsilon), Decimal(mu)
        return upper_tail(e / m - m / 2) - e.exp() * upper_tail(e / m + m / 2)


# ---- central runs ----------------------------------------------------------


def span(model, parameters):
    """The largest distance between two rows, (Euclidean, L1); None: wrong."""
    d = number(model.get("dimension"), 1, 2**32)
    box, radius = parameters.get("bounds"), parameters.get("radius")
    normalize = parameters.get("normalize")
    if d is None or not isinstance(normalize, (bool, type(None))):
        return None
    l1 = l2 = math.inf
    if box is not None:
        sides = box_sides(box, int(d))
        if sides is None:
            return None
        if normalize:
            sides = [1.0]
        times = d / len(sides)
        l2 = math.sqrt(times * math.fsum(s * s for s in sides))
        l1 = times * math.fsum(sides)
    if radius is not None:
        r = number(radius)
        if r is None:
            return None
        l2, l1 = min(l2, 2 * r), min(l1, 2 * r * math.sqrt(d))
    return l2, l1


def box_sides(box, d):
    if not isinstance(box, dict):
        return None
    lower, upper = box.get("lower"), box.get("upper")
    if not (isinstance(lower, list) and isinstance(upper, list)
            and len(lower) == len(upper) and len(lower) in (1, d)):
        return None
    sides = []
    for low, high in zip(lower, upper):
        low = number(low, -1e60)
        high = number(high, -1e60)
        if low is None or high is None or not low < high:
            return None
        sides.append(high - low)
    return sides


def check_sensitivity(finding, where, release, value, spans):
    """Held against what a reader can work out."""
    what, norm = release["what"], release["sensitivity"]["norm"]
    twice = finding.promise["adjacency"] == "replace-one"
    if "counts" in what:
        least = finding.group * (1 if not twice else 2 if norm == "l1"
                                 else math.sqrt(2))
        if value < least * (1 - 1e-9):
            finding.bad(where, "one %s changes counts by "
                        % ("person" if finding.group > 1 else "row")
                        + g(least) + ", more than the sensitivity listed")
    if spans and "sums" in what and "pull" not in what:
        most = (finding.group * ROOM * (2 if twice else 1)
                * spans[norm == "l1"])
        if norm in ("l1", "l2") and value > most:
            finding.bad(where, "the sensitivity is larger than the bounds of "
                               "the file allow")


def check_smooth(finding, where, release):
    finding.smooth = True
    if finding.group > 1:
        finding.bad(where, "smooth sensitivity is of one row, and a person has "
                           "several")
    loss, promise = release["loss"], finding.promise
    e, d = number(loss.get("epsilon")), number(loss.get("delta"))
    if e is None or d is None:
        finding.bad(where, "a loss of smooth sensitivity is an epsilon and a "
                           "delta")
    elif e > promise["epsilon"] or d > promise["delta"]:
        finding.bad(where, "the loss is larger than what is promised")


def check_release(finding, where, release, spans):
    """The loss of one line as a fraction, or None."""
    if not isinstance(release, dict):
        return finding.bad(where, "it is not an object")
    sensitivity, loss = release.get("sensitivity"), release.get("loss")
    mechanism = release.get("mechanism")
    if not isinstance(release.get("what"), str) or not release["what"]:
        return finding.bad(where, "it does not say what was released")
    if not isinstance(sensitivity, dict) or not isinstance(loss, dict):
        return finding.bad(where, "it lacks a sensitivity or a loss")
    if mechanism == "smooth-sensitivity":
        return check_smooth(finding, where, release)
    if mechanism not in MECHANISMS:
        return finding.strange(where, "its mechanism is not known")
    norm, in_pure, in_gauss = MECHANISMS[mechanism]
    pure = finding.promise["delta"] == 0
    if not (in_pure if pure else in_gauss) or sensitivity.get("norm") != norm:
        return finding.bad(where, "there is no proof for this noise in this "
                           "norm in " + ("pure" if pure else "Gaussian")
                           + " differential privacy")
    unit = "epsilon" if pure else "mu"
    if list(loss) != [unit]:
        return finding.bad(where, "its loss must be one number, " + unit)
    value, scale = number(sensitivity.get("value")), number(release.get("scale"))
    listed = number(loss[unit])
    if value is None or scale is None or listed is None:
        return finding.bad(where, "sensitivity, scale and loss must be numbers "
                                  "above 0")
    real = Fraction(value) / Fraction(scale)
    if not pure and norm == "score":
        real *= SELECTION
    if real > Fraction(listed):
        finding.bad(where, "the noise costs " + g(real) + ", more than the "
                    "loss of " + g(listed) + " that is listed")
    check_sensitivity(finding, where, release, value, spans)
    return Fraction(listed)


def check_sum(finding, total, count):
    """The lines together against the declared budget."""
    promise = finding.promise
    finding.total = total
    if promise["delta"] == 0:
        finding.recomputed = {"releases": count, "currency": "epsilon",
                              "spent": total, "allowed": promise["epsilon"],
                              "delta": 0}
        if total > Fraction(promise["epsilon"]):
            finding.bad("releases", "their losses add up to more than epsilon")
        return
    mu = number(finding.mu, 1e-8, 100)
    if mu is None:
        finding.strange("privacy", "no usable 'mu' next to delta")
        return
    if promise["delta"] < 1e-250:
        finding.strange("privacy", "a delta below 1e-250")
        return
    delta = delta_of(promise["epsilon"], mu)
    finding.recomputed = {"releases": count, "currency": "mu",
                          "spent": math.sqrt(total), "allowed": mu,
                          "delta": delta}
    if total > Fraction(mu) ** 2:
        finding.bad("releases", "the squares of their losses add up to more "
                                "than the square of mu")
    if delta > Decimal(promise["delta"]):
        digits = 6  # enough to see a difference
        while digits < 12 and g(delta, digits) == g(promise["delta"], digits):
            digits += 1
        finding.bad("privacy", "this mu means a delta of " + g(delta, digits)
                    + " at this epsilon, more than the "
                    + g(promise["delta"], digits) + " that is promised")


def check_central(finding, model, releases):
    parameters = model.get("parameters")
    spans = None
    if model.get("kind") in ("kmeans", "kmedian"):
        spans = span(model, parameters if isinstance(parameters, dict) else {})
        if spans is None:
            finding.bad("parameters", "the bounds cannot be read")
    total, seen = Fraction(0), set()
    for i, release in enumerate(releases):
        what = release.get("what") if isinstance(release, dict) else None
        name = clean(what.encode()) if isinstance(what, str) else ""
        where = f"release {i + 1} ({name})" if name else f"release {i + 1}"
        loss = check_release(finding, where, release, spans)
        if isinstance(what, str):
            if what in seen:
                finding.bad(where, "a line with these words is there already")
            seen.add(what)
        if loss is not None:
            total += loss if finding.promise["delta"] == 0 else loss * loss
    if finding.smooth:
        finding.recomputed = {
            "releases": len(releases), "currency": "epsilon, delta",
            "spent": finding.promise["epsilon"],
            "allowed": finding.promise["epsilon"],
            "delta": finding.promise["delta"]}
    else:
        check_sum(finding, total, len(releases))


# ---- local runs ------------------------------------------------------------


def check_group(finding, where, group):
    """(share, epsilon, delta) of a group of users, or None."""
    if not isinstance(group, dict) or not isinstance(group.get("loss"), dict):
        return finding.bad(where, "it lacks a loss")
    if group.get("mechanism") not in LOCAL_MECHANISMS:
        return finding.strange(where, "its mechanism is not known")
    share = number(group.get("share"), 0, 1e60)
    e = number(group["loss"].get("epsilon"))
    d = number(group["loss"].get("delta", 0), 0, 1)
    if share is None or e is None or d is None:
        return finding.bad(where, "share and loss must be numbers")
    if share > 1:
        return finding.bad(where, "more than all users answer")
    return Fraction(share), Fraction(e), Fraction(d)


def check_local(finding, releases):
    """Who is asked alone pays once; what everybody is asked adds up."""
    zero = Fraction(0)
    shares, everyone, largest = zero, [zero, zero], [zero, zero]
    for i, group in enumerate(releases):
        found = check_group(finding, f"release {i + 1}", group)
        if found is None:
            continue
        share, *loss = found
        for j in (0, 1):
            if share == 1:
                everyone[j] += loss[j]
            else:
                largest[j] = max(largest[j], loss[j])
        shares += share if share < 1 else 0
    if shares > 1 + Fraction(1, 10**9):
        finding.bad("releases", "the groups of users add up to more than all")
    worst = [everyone[j] + largest[j] for j in (0, 1)]
    finding.total = worst[0]
    promise = finding.promise
    finding.recomputed = {"releases": len(releases), "currency": "epsilon",
                          "spent": worst[0], "allowed": promise["epsilon"],
                          "delta": worst[1]}
    if worst[0] > Fraction(promise["epsilon"]):
        finding.bad("releases", "a user can lose more than epsilon")
    if worst[1] > Fraction(promise["delta"]):
        finding.bad("releases", "a user can lose more than delta")


# ---- one file --------------------------------------------------------------


def word(finding, privacy, field, known):
    value = privacy.get(field)
    if not isinstance(value, str) or value not in known:
        finding.strange("privacy", f"'{field}' is none of the words known: "
                        + ", ".join(known))
    return value


def whole_space(model):
    """Planes that are all of space are known without asking anybody."""
    d = number(model.get("dimension"), 1, 2**32)
    return (model.get("kind") == "subspace" and d is not None
            and number(model.get("subspace_dimension"), 1, 2**32) == d)


def check_bought(finding, bounds):
    """Bounds that an earlier run found: its loss comes on top, and both are
    said."""
    if bounds is None:
        return
    bounds = bounds if isinstance(bounds, dict) else {}
    together = bounds.get("together")
    together = together if isinstance(together, dict) else {}
    epsilon = number(bounds.get("epsilon"), 1e-15, 4096)
    delta = number(bounds.get("delta"), 0, 1)
    both = (number(together.get("epsilon"), 1e-15, 8192),
            number(together.get("delta"), 0, 2))
    own = finding.promise
    if None in (epsilon, delta, *both):
        finding.bad("bounds", "it does not say what the bounds cost")
    elif (Fraction(both[0]) < Fraction(own["epsilon"]) + Fraction(epsilon)
          or Fraction(both[1]) < Fraction(own["delta"]) + Fraction(delta)):
        finding.bad("bounds", "the run and its bounds cost more together than "
                              "is said")
    else:
        finding.bought = both


def names_users(model):
    """A run for people says which column tells them apart (null: it was told
    in memory). Receipts of bounds have no parameters of their own."""
    parameters = model.get("parameters")
    return (model.get("kind") == "bounds"
            or isinstance(parameters, dict) and "user_column" in parameters)


def is_number(value):
    return number(value, -1e300, 1e300) is not None


def are_numbers(values, count):
    return (isinstance(values, list) and len(values) == count
            and all(is_number(v) for v in values))


def is_table(rows, count, columns):
    return (isinstance(rows, list) and len(rows) == count
            and all(are_numbers(r, columns) for r in rows))


def is_range(value):
    return (isinstance(value, dict)
            and set(value) <= {"lower", "upper", "state", "name"}
            and {"lower", "upper"} <= set(value)
            and all(value[side] is None or is_number(value[side])
                    for side in ("lower", "upper"))
            and all(v is None or isinstance(v, str) or is_number(v)
                    for v in value.values()))


def check_content(finding, model):
    """The values that a run of this kind releases, in their shape, and nothing
    that no run writes."""
    kind = model.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        finding.strange("kind", "it is none of the words known: "
                        + ", ".join(KINDS))
        return
    k, d, q = (model.get(field) if type(model.get(field)) is int
               and 1 <= model[field] <= 2**32 else 0
               for field in ("k", "dimension", "subspace_dimension"))
    if "centers" in KINDS[kind]:
        if not is_table(model.get("centers"), k, d):
            finding.bad("centers",
                        "they are not 'k' lists of 'dimension' numbers")
        weights = model.get("weights")
        if weights != [] and not are_numbers(weights, k):
            finding.bad("weights", "they are not 'k' numbers")
    elif kind == "subspace":
        bases = model.get("bases")
        if not (q and isinstance(bases, list) and len(bases) == k
                and all(is_table(basis, d, q) for basis in bases)):
            finding.bad("bases", "they are not 'k' tables of 'dimension' times "
                                 "'subspace_dimension' numbers")
    else:
        ranges = model.get("ranges")
        if not (isinstance(ranges, list) and len(ranges) == d
                and all(map(is_range, ranges))):
            finding.bad("ranges", "they are not 'dimension' pairs of numbers")
        if not ("rows" in model
                and (model["rows"] is None or is_number(model["rows"]))):
            finding.bad("rows", "it is not a number")
    finding.beyond = [clean(f.encode()) for f in model
                      if f not in FIELDS | KINDS[kind]]
    finding.beyond += ["privacy." + clean(f.encode()) for f in model["privacy"]
                       if f not in OF_PRIVACY]


def check_privacy(finding, model):
    privacy = model["privacy"]
    if model["kith"] != 1:
        finding.strange("kith", "the format is newer than this checker")
        return
    kind = word(finding, privacy, "model", ("central", "local", "none"))
    trust = word(finding, privacy, "guarantee", ("exact", "asymptotic", "none"))
    if finding.unknown or "none" in (kind, trust):
        finding.none = not finding.unknown
        return
    finding.local = kind == "local"
    unit = word(finding, privacy, "unit", ("row", "user"))
    adjacency = word(finding, privacy, "adjacency",
                     ("add-remove", "replace-one"))
    group = privacy.get("rows_per_user")
    if "rows_per_user" in privacy:
        if (unit != "user" or finding.local or type(group) is not int
                or number(group, 2, 1000) is None):
            finding.bad("privacy", "'rows_per_user' is not a whole number from "
                                   "2 to 1000, in a promise to users")
        else:
            finding.group = group
    if unit == "user" and not finding.local and not names_users(model):
        finding.bad("privacy", "a promise to users, and no 'user_column' in "
                               "the parameters")
    parameters = model.get("parameters")
    if (unit == "row" and not finding.local and isinstance(parameters, dict)
            and "user_column" in parameters):
        finding.bad("privacy", "a 'user_column' in the parameters, and no "
                               "promise to users")
    epsilon = number(privacy.get("epsilon"), 1e-15, 4096)
    delta = number(privacy.get("delta"), 0, 1)
    releases = privacy.get("releases")
    if epsilon is None:
        finding.bad("privacy", "'epsilon' is not a number above 0 and up to "
                               "4096")
    if delta is None or delta == 1:
        finding.bad("privacy", "'delta' is not a number from 0 to below 1")
    if not isinstance(releases, list) or not (releases or whole_space(model)):
        finding.bad("privacy", "no releases are listed")
    elif len(releases) > MOST_RELEASES:
        finding.strange("privacy", "more releases than any run makes")
    if finding.local and (unit, adjacency) != ("user", "replace-one"):
        finding.bad("privacy", "a local run promises to users that their "
                               "record may be replaced")
    if finding.wrong or finding.unknown:
        return
    finding.promise = {"model": kind, "unit": unit, "adjacency": adjacency,
                       "guarantee": trust, "epsilon": epsilon, "delta": delta}
    finding.mu = privacy.get("mu")
    if finding.local:
        check_local(finding, releases)
    else:
        check_central(finding, model, releases)
    check_bought(finding, privacy.get("bounds"))
    check_content(finding, model)


# ---- signatures: minisign's format, Ed25519 (RFC 8032) ---------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def recover(data):
    """The point with this encoding, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def point_add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, h, i = b - a, d - c, d + c, b + a
    return e * f % P, h * i % P, f * h % P, e * i % P


def multiply(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = point_add(total, point)
        point = point_add(point, point)
        scalar >>= 1
    return total


BASE = recover((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed_by(key, message, signature):
    public, r = recover(key), recover(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if public is None or r is None or s >= ORDER:
        return False
    h = int.from_bytes(
        hashlib.sha512(signature[:32] + key + message).digest(), "little")
    left, right = multiply(s, BASE), point_add(r, multiply(h % ORDER, public))
    return ((left[0] * right[2] - right[0] * left[2]) % P == 0
            and (left[1] * right[2] - right[1] * left[2]) % P == 0)


def decoded(line, size):
    data = base64.b64decode(line.strip(), validate=True)
    if len(data) != size:
        raise ValueError
    return data


class NoKey(Exception):
    """The file is no public key; the reason is for people."""


def read_key(path):
    try:
        with open(path, "rb") as file:
            key = decoded(file.read().split(b"\n")[1], 42)
        if key[:2] != b"Ed":
            raise ValueError
        return key
    except OSError:
        raise NoKey(f"--key: '{path}' cannot be read") from None
    except (ValueError, IndexError):
        raise NoKey(f"--key: '{path}' is not a public key of "
                    "minisign") from None


def check_signature(finding, path, key):
    """MODEL.minisig by the key: bytes of the file and trusted comment."""
    if not os.path.exists(path + ".minisig"):
        finding.bad("signature", "MODEL.minisig is missing: nobody has signed "
                                 "this file, or it was left behind")
        return
    try:
        with open(path + ".minisig", "rb") as file:
            lines = file.read().split(b"\n")
        signature = decoded(lines[1], 74)
        prefix, comment = lines[2][:17], lines[2][17:].rstrip(b"\r")
        whole_signature = decoded(lines[3], 64)
        if prefix != b"trusted comment: ":
            raise ValueError
    except (OSError, ValueError, IndexError):
        finding.bad("signature", "MODEL.minisig cannot be read")
        return
    with open(path, "rb") as file:
        message = file.read()
    if signature[:2] == b"ED":
        message = hashlib.blake2b(message).digest()
    name = key[2:10][::-1].hex().upper()
    good = (signature[:2] in (b"ED", b"Ed") and signature[2:10] == key[2:10]
            and signed_by(key[10:], message, signature[10:])
            and signed_by(key[10:], signature[10:] + comment, whole_signature))
    text = clean(comment, 500) if good else ""
    finding.signature = {"key": name, "good": good, "trusted_comment": text}
    if not good:
        finding.bad("signature", "it is not one of this file by this key")


# ---- ledgers: the account that paid, followed from its first entry ---------

UNIT = Fraction(1, 2**50)  # of amounts


class NoLedger(Exception):
    """The ledger cannot be read."""


def deal(entries, named):
    """Entries of one account, or of several one after another, to the accounts
    that the model names: to the one whose name their hashes have."""
    names = [e.get("account") for e in payers(named)]
    starts = [i for i, e in enumerate(entries) if i == 0 or e[0] == 1]
    accounts = {}
    for start, end in zip(starts, starts[1:] + [len(entries)]):
        part = entries[start:end]
        free = [n for n in names if isinstance(n, str) and n not in accounts]
        own = [n for n in free if follow(part, named.get("id"), n) is None]
        for name in (own or free)[:1]:
            accounts[name] = part
    return accounts


def read_accounts(where, named):
    """{account: [(number, at, text of the body, hash)]} and the ledger's id; a
    file of entries says neither, the model does."""
    if not where.startswith("sqlite:"):
        if not isinstance(named.get("account"), str):
            return {}, None
        try:
            with open(where, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            entries = [(e["entry"], e["at"], json.dumps(
                e["body"], sort_keys=True, separators=(",", ":"),
                ensure_ascii=False), e["hash"]) for e in lines if "entry" in e]
            return deal(entries, named), named.get("id")
        except (OSError, ValueError, TypeError, KeyError):
            raise NoLedger from None
    path = "file:" + urllib.parse.quote(where[7:]) + "?mode=ro"
    accounts = {}
    try:
        with sqlite3.connect(path, uri=True) as store:
            (name,), = store.execute("SELECT value FROM meta WHERE key = "
                                     "'ledger'").fetchall()
            for account, *entry in store.execute(
                    "SELECT name, entry.seq, at, body, hash FROM entry JOIN "
                    "account ON account.id = account ORDER BY name, entry.seq"):
                accounts.setdefault(account, []).append(tuple(entry))
        return accounts, name
    except (sqlite3.Error, ValueError):
        raise NoLedger from None


def follow(entries, name, account):
    """The number of the first entry that is wrong; None: the chain is intact
    and no charge went beyond its limit."""
    before, limit, spent = "", {}, {"pure": 0, "gauss": 0}
    for i, (number, at, body, digest) in enumerate(entries):
        parts = ("kith-ledger-1", name, account, str(i + 1), before, at, body)
        framed = b"".join(len(p.encode()).to_bytes(8, "big") + p.encode()
                          for p in parts)
        before = hashlib.sha256(framed).hexdigest()
        facts = json.loads(body)
        kind = facts.get("kind")
        if (number, digest) != (i + 1, before) or (i == 0) != (kind == "grant"):
            return i + 1
        if kind in ("charge", "adopt"):
            spent[facts["purse"]] += facts["amount"]
        elif kind == "close":
            limit = dict(spent)
        elif "limit_pure" in facts and not {"analyst", "purpose"} & set(facts):
            limit = {"pure": facts["limit_pure"], "gauss": facts["limit_gauss"]}
        if any(spent[purse] > limit[purse] for purse in spent):
            return i + 1
    return None


def enough(finding, facts):
    """Does an entry pay for what the file lists?"""
    amount = facts["amount"] * UNIT
    promise = finding.promise
    if promise["delta"] > 0 or facts["purse"] == "pure":
        return finding.total is not None and finding.total <= amount
    # A pure run, converted: Phi(mu / 2) must reach e^eps / (1 + e^eps).
    with localcontext() as context:
        context.prec = 80
        mu = (Decimal(amount.numerator) / Decimal(amount.denominator)).sqrt()
        return upper_tail(mu / 2) <= 1 / (1 + Decimal(promise["epsilon"]).exp())


def charged(finding, entries, digest, named):
    """What one account says of the file: words of a problem, or None."""
    bodies = [json.loads(body) for _, _, body, _ in entries]
    known = any(b["kind"] == "result" and b.get("model") == digest
                for b in bodies)
    number = named.get("entry")
    at = number - 1 if type(number) is int and 0 < number <= len(entries) else 0
    if not entries or entries[at][3] != named.get("hash"):
        return ("it does not have the entry that the file names: it was "
                "rewritten, or restored from an old copy")
    if bodies[at]["kind"] != "charge" or not enough(finding, bodies[at]):
        return "the file lists more than its entry paid for"
    if not known:
        return ("no result has the SHA-256 of the file: it was changed, or "
                "never recorded")
    return None


def adopted(accounts, name, digest):
    """(account, number) of the entry that booked the file later, or None."""
    for account, entries in accounts.items():
        for number, _, body, _ in entries:
            facts = json.loads(body)
            if (facts["kind"] == "adopt" and facts.get("model") == digest
                    and follow(entries, name, account) is None):
                return account, number
    return None


def payers(named):
    """The entries that the file names, one for each account that paid."""
    also = named.get("also")
    return [named] + [e for e in (also if isinstance(also, list) else [])
                      if isinstance(e, dict)]


def check_payer(finding, accounts, name, digest, entry, only):
    """(words of a problem or None, who paid or None) of one of them."""
    account = entry.get("account")
    booked = adopted({only: accounts.get(only, [])} if only else accounts,
                     name, digest)
    if not isinstance(account, str):
        words = "the file names no entry of a ledger"
    elif name != entry.get("id", name):
        words = "another ledger paid for the file"
    elif wrong := follow(accounts.get(account, []), name, account):
        return f"entry {wrong} is wrong: the account is not intact", None
    else:
        words = charged(finding, accounts.get(account, []), digest, entry)
    if words is None:
        return None, f"Paid for by entry {entry['entry']} of account {account}"
    if booked:
        return None, f"Adopted by entry {booked[1]} of account {booked[0]}"
    return words, None


def check_ledger(finding, path, model, where):
    named = model["privacy"].get("ledger")
    named = named if isinstance(named, dict) else {}
    entries, paid = payers(named), []
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    try:
        accounts, name = read_accounts(where, named)
        for entry in entries:
            entry = {**entry, "id": named.get("id")}
            only = entry.get("account") if len(entries) > 1 else None
            words, payer = check_payer(finding, accounts, name, digest, entry,
                                       only)
            if words:
                which = f" (account {only})" if only else ""
                finding.bad("ledger", clean((words + which).encode(), 300))
            else:
                paid.append(payer)
    except NoLedger:
        finding.bad("ledger", "it cannot be read")
    except (ValueError, TypeError, KeyError, AttributeError):
        finding.bad("ledger", "its entries make no sense")
    if len(paid) == len(entries):
        finding.paid = " and ".join(
            [paid[0]] + [p[p.index("by entry"):] for p in paid[1:]])


# ---- words -----------------------------------------------------------------


HEADLINE_UNSIGNED = ("Does not hold: no good signature by this key goes with "
                     "this file.")


def headline(finding):
    verdict = finding.verdict()
    if verdict == "not a model":
        return f"Not a kith model: {finding.fatal}."
    if finding.wrong and all(where == "signature"
                             for where, _ in finding.wrong):
        return HEADLINE_UNSIGNED
    if verdict != "holds":
        return HEADLINES[verdict]
    p = finding.promise
    secret = SECRETS[p["unit"], p["adjacency"]]
    times = (g(math.exp(p["epsilon"]), 3) if p["epsilon"] <= 20 else
             "e^" + g(p["epsilon"]))
    more = len(finding.beyond) - MOST_NAMED
    beyond = (", apart from fields that no run writes ("
              + ", ".join(f"'{name}'" for name in finding.beyond[:MOST_NAMED])
              + (f" and {more} more" if more > 0 else "") + "),"
              if finding.beyond else "")
    text = (f"Holds. If the program did what it lists, then {secret}, nothing "
            f"in this file{beyond} is more than {times} times likelier or less "
            "likely")
    if p["delta"] > 0:
        text += f", apart from a chance of {g(p['delta'])}"
    text += "."
    if p["guarantee"] == "asymptotic":
        text += (" That is so in the limit of a sampler (a Markov chain); no "
                 "file can tell how close this run came.")
    if finding.bought:
        text += (" With its bounds, which an earlier run found: epsilon "
                 f"{g(finding.bought[0])}, delta {g(finding.bought[1])} in "
                 "all.")
    return text


def not_checked(finding):
    if finding.promise is None:
        return []
    lines = list(NOT_CHECKED_LOCAL if finding.local else NOT_CHECKED)
    if finding.promise["unit"] == "user" and not finding.local:
        lines.append(NOT_CHECKED_USERS)
    lines += [NOT_CHECKED_SMOOTH] * finding.smooth
    return lines + [NOT_CHECKED_BEYOND] * bool(finding.beyond)


def problems(finding):
    lines = finding.wrong + finding.unknown
    more = len(lines) - MOST_PROBLEMS
    if more > 0:
        lines = lines[:MOST_PROBLEMS] + [("file", f"{more} more problems")]
    return lines


def print_json(finding):
    p, r, s = finding.promise, finding.recomputed, finding.signature
    quoted = json.dumps
    promise = "null" if p is None else (
        '{"model": "%s", "unit": "%s", "adjacency": "%s", "guarantee": "%s", '
        '"epsilon": %s, "delta": %s}' % (
            p["model"], p["unit"], p["adjacency"], p["guarantee"],
            g(p["epsilon"]), g(p["delta"])))
    recomputed = "null" if r is None else (
        '{"releases": %d, "currency": "%s", "spent": %s, "allowed": %s, '
        '"delta": %s}' % (r["releases"], r["currency"], g(r["spent"]),
                          g(r["allowed"]), g(r["delta"])))
    signature = "null" if s is None else (
        '{"key": "%s", "good": %s, "trusted_comment": %s}' % (
            s["key"], "true" if s["good"] else "false",
            quoted(s["trusted_comment"])))
    paid = quoted(clean(finding.paid.encode(), 300)) if finding.paid else "null"
    lines = ['    {"where": %s, "words": %s}' % (quoted(where), quoted(words))
             for where, words in problems(finding)]
    open_points = ["    " + quoted(line) for line in not_checked(finding)]
    print('{\n  "kith_verify": 1,\n  "verdict": "%s",\n  "words": %s,\n'
          '  "promise": %s,\n  "recomputed": %s,\n  "signature": %s,\n'
          '  "ledger": %s,\n  "problems": [%s],\n  "not_checked": [%s]\n}' % (
              finding.verdict(), quoted(headline(finding)), promise,
              recomputed, signature, paid, listed(lines),
              listed(open_points)))


def listed(lines):
    return "\n" + ",\n".join(lines) + "\n  " if lines else ""


def print_words(finding):
    print(headline(finding))
    for where, words in problems(finding):
        print(f"  {where}: {words}")
    r, s = finding.recomputed, finding.signature
    if r and finding.verdict() == "holds":
        delta = f"; delta {g(r['delta'])}" if float(r["delta"]) > 0 else ""
        print(f"Recomputed: {r['releases']} releases, {r['currency']} "
              f"{g(r['spent'])} of {g(r['allowed'])}{delta}.")
    if s and s["good"]:
        print(f"Signed by {s['key']}: {s['trusted_comment']}")
    if finding.paid:
        print(f"{clean(finding.paid.encode(), 300)}, which is intact and names "
              "this file.")
    lines = not_checked(finding)
    if lines:
        print("Not checked, and not checkable from a file:")
    for line in lines:
        print(f"  - {line}")


def main(arguments):
    as_json, key, ledger, files = False, None, None, []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--json":
            as_json = True
        elif argument == "--key":
            key = next(rest, None)
        elif argument.startswith("--key="):
            key = argument[6:]
        elif argument == "--ledger":
            ledger = next(rest, None)
        elif argument.startswith("--ledger="):
            ledger = argument[9:]
        else:
            files.append(argument)
    if len(files) != 1 or files[0].startswith("-") or "" in (key, ledger):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    finding = Finding()
    try:
        key = None if key is None else read_key(key)
        model = read_model(files[0])
        check_privacy(finding, model)
        if ledger is not None and finding.promise is not None:
            check_ledger(finding, files[0], model, ledger)
        if key is not None:
            check_signature(finding, files[0], key)
    except NoKey as reason:
        print(f"kith_verify.py: {reason}", file=sys.stderr)
        return 4
    except NotAModel as reason:
        finding.fatal = str(reason)
    (print_json if as_json else print_words)(finding)
    return {"holds": 0, "not a model": 4}.get(finding.verdict(), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
