"""Ledgers: one budget, however often an estimator is cloned, copied, pickled
or searched."""
import copy
import os
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import kith
from kith.candidates import _mu


@pytest.fixture
def ledger():
    made = kith.Ledger.memory()
    made.grant("study", epsilon=4)
    return made


def fit_of(ledger, **more):
    return kith.KMeans(2, **{"epsilon": 1, "bounds": (-1, 1),
                             "method": "lloyd", "rounds": 1, "ledger": ledger,
                             "account": "study", **more})


def test_clones_share(rows, ledger):
    """8 clones with a budget of 4: four are paid for."""
    paid = 0
    for _ in range(8):
        try:
            clone(fit_of(ledger)).fit(rows)
            paid += 1
        except kith.BudgetError:
            pass
    assert paid == 4 and ledger.remaining("study") == 0
    assert copy.copy(ledger) is ledger and copy.deepcopy(ledger) is ledger


def test_threads_share(rows, ledger):
    paid = []

    def work():
        try:
            paid.append(fit_of(ledger).fit(rows))
        except kith.BudgetError:
            pass
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paid) == 4 and ledger.remaining("study") == 0


def test_pickles_refuse(rows, ledger):
    for thing in (ledger, fit_of(ledger), fit_of(ledger).fit(rows)):
        with pytest.raises(kith.LedgerError, match="set_params"):
            pickle.dumps(thing)
    model = fit_of(ledger).fit(rows).set_params(ledger=None)
    assert pickle.loads(pickle.dumps(model)).model_ == model.model_


def test_newer_pickles_are_refused(rows):
    state = fit_of(None, account=None).fit(rows).__getstate__()
    state["_kith_version"] = "99.0.0"
    with pytest.raises(kith.KithError, match="newer.*load_model"):
        kith.KMeans().__setstate__(state)


def test_context(rows, ledger):
    plain = fit_of(None, account=None)
    with ledger.account("study") as same:
        assert same is ledger
        plain.fit(rows)
        assert ledger.remaining("study") == .75
        seen = []
        thread = threading.Thread(
            target=lambda: seen.append(plain.fit(rows)))
        thread.start()
        thread.join()
        assert ledger.remaining("study") == .75  # another context: not charged
    plain.fit(rows)
    assert ledger.remaining("study") == .75 and seen


def test_searches_pay(rows, ledger):
    """Attached to a ledger a search runs, every fit is charged, and it ends
    when the account is empty."""
    grid = {"kmeans__n_clusters": [2, 3]}
    pipe = make_pipeline(fit_of(ledger, epsilon=.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        GridSearchCV(pipe, grid, cv=3, error_score="raise").fit(rows)
        assert ledger.remaining("study") == pytest.approx(1 - 7 * .5 / 4)
        with pytest.raises(kith.BudgetError):
            GridSearchCV(pipe, grid, cv=3, error_score="raise").fit(rows)
    assert ledger.remaining("study") == 0


def test_refusals(rows, ledger):
    with pytest.warns(kith.NotPrivateWarning):
        with pytest.raises(kith.BudgetError, match="seeded"):
            fit_of(ledger, insecure_seed=1).fit(rows)
    with pytest.raises(kith.LedgerError, match="account="):
        fit_of(ledger, account=None).fit(rows)
    with pytest.raises(TypeError, match="kith.Ledger"):
        fit_of("sqlite:x").fit(rows)
    with pytest.raises(kith.KithError):
        fit_of(ledger, account="nobody").fit(rows)
    with pytest.raises(kith.BudgetError):
        fit_of(ledger, epsilon=5).fit(rows)
    with pytest.raises(kith.KithError, match="adjacen|neighbo|replace"):
        fit_of(ledger, adjacency="replace-one").fit(rows)
    assert ledger.remaining("study") == 1


def test_a_refusal_is_free(rows):
    """What no rows can change is refused before it is paid for."""
    ledger = kith.Ledger.memory()
    ledger.grant("study", epsilon=4, delta=1e-4)
    payer = {"radius": 1, "ledger": ledger, "account": "study"}
    with pytest.raises(kith.KithError, match="no account can hold"):
        kith.SubspaceClustering(2, 1, epsilon=1, delta=1e-4,
                                method="sample-aggregate", **payer).fit(rows)
    with pytest.raises(kith.KithError, match="too small to be divided"):
        kith.KMeans(2, epsilon=1e-9, delta=1e-6, **payer).fit(rows)
    assert ledger.remaining("study") == 1


def test_nothing_is_refunded(rows, ledger):
    def stop(done, total):
        if done:
            raise KeyError("enough")
    with pytest.raises(KeyError):
        fit_of(ledger, progress=stop).fit(rows)
    assert ledger.remaining("study") == .75


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_sweep_divides_one_budget(rows, delta):
    ledger = kith.Ledger.memory()
    ledger.grant("study", epsilon=1, delta=delta)
    table = kith.sweep(fit_of(ledger, delta=delta), X=rows,
                       n_clusters=[2, 3, 4])
    assert [len(row["model"].cluster_centers_) for row in table] == [2, 3, 4]
    assert 0 <= ledger.remaining("study") < 1e-6
    losses = np.array([row["model"].privacy_.check() for row in table])
    if delta:
        assert np.sqrt((losses ** 2).sum()) <= _mu(1, delta)
    else:
        assert losses.sum() <= 1
    with pytest.raises(kith.BudgetError, match="nothing was charged"):
        kith.sweep(fit_of(ledger, delta=delta), X=rows, n_clusters=[2, 3])
    with pytest.raises(kith.ArgumentError, match="divided"):
        kith.sweep(fit_of(ledger), X=rows, epsilon=[1, 2])
    with pytest.raises(kith.ArgumentError, match="n_rows"):
        kith.sweep(fit_of(ledger), n_clusters=[1, 2])


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_ledger_that_lasts(rows, tmp_path, store):
    """In a file: charges are told, pickles are addresses, other processes and
    the command see the same account."""
    uri = f"sqlite:{tmp_path / 'team.db'}"
    if store == "postgresql":  # tests/ledger/test_ledger_postgresql.py runs it
        uri = os.environ.get("KITH_TEST_PG_URL")
        if not uri:
            pytest.skip("needs a server: test_ledger_postgresql")
    with pytest.raises(kith.LedgerError):
        kith.Ledger.open(uri)  # a mistyped path is no fresh budget
    ledger = kith.Ledger.open(uri, new=True)
    with pytest.raises(kith.KithError):
        kith.Ledger.open(uri, new=True)
    ledger.grant("study", epsilon=4)
    model = fit_of(ledger).fit(rows)
    back = pickle.loads(pickle.dumps(model))
    assert back.ledger.uri == uri and back.ledger is not ledger
    clone(back).fit(rows)
    assert ledger.remaining("study") == .5
    charges = ledger.charges("study")
    assert [c.epsilon for c in charges] == [1, 1]
    assert all(c.mu == 0 and c.at for c in charges)
    assert kith.Ledger.open(uri).remaining("study") == .5
    program = ("import kith, numpy as np, sys\n"
               "kith.KMeans(2, epsilon=1, bounds=(0, 1), account='study',"
               "ledger=kith.Ledger.open(sys.argv[1])).fit(np.ones((9, 2)))")
    subprocess.run([sys.executable, "-c", program, uri], check=True)
    assert ledger.remaining("study") == .25
    name = "team.db" if store == "sqlite" else "postgresql"
    assert name in repr(ledger) and name in ledger._repr_html_()


def test_charges_in_memory(rows, ledger):
    fit_of(ledger, epsilon=.5).fit(rows)
    charge, = ledger.charges("study")
    assert charge.epsilon == .5 and charge.mu == 0 and charge.facts
    with pytest.raises(kith.KithError):
        ledger.charges("nobody")


def test_card(rows, ledger):
    empty = kith.Ledger.memory()
    assert empty.accounts() == [] and "no account" in empty._repr_html_()
    ledger.grant("<b>other", epsilon=1)
    fit_of(ledger).fit(rows)
    assert ledger.accounts() == ["<b>other", "study"]
    card = ledger._repr_html_()
    assert "<b>other" not in card and "&lt;b&gt;other" in card
    assert "75.0%" in card and 'width="90.0"' in card and "<td>1</td>" in card
    for forbidden in ("<script", "http", "url("):
        assert forbidden not in card
