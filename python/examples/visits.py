# %% [markdown]
# # Clinic visits: private groups of patients
#
# A clinic wants to publish what kinds of patients it has, without telling
# anything about any single one. We use a table with names, bounds that come
# from the meaning of the columns, a ledger that keeps the budget of the year,
# and a page for the people who have to decide.

# %%
import numpy as np
import pandas as pd

import kith

# %% [markdown]
# ## The table
# Here it is made up. In real life it is yours: `pd.read_csv("visits.csv")`.

# %%
rng = np.random.default_rng(2026)
kinds = pd.DataFrame({"age": [8, 34, 71], "visits": [2, 5, 14],
                      "systolic": [105, 121, 148], "bmi": [17, 25, 29]})
spread = np.array([3, 8, 3, 3.5])
who = rng.choice(3, size=20_000, p=[.2, .5, .3])
visits = pd.DataFrame(rng.normal(kinds.to_numpy()[who], spread),
                      columns=kinds.columns)
visits["visits"] = visits["visits"].clip(0).round().astype("Int64")
visits.loc[5, "visits"] = pd.NA  # as tables are

# %% [markdown]
# ## Bounds come from what the columns mean
# Nobody looks at the data for this: an age is between 0 and 110. The least and
# the largest value of a column would be two people's secrets. Values outside
# are clipped.

# %%
bounds = {"age": (0, 110), "visits": (0, 40), "systolic": (80, 200),
          "bmi": (10, 50)}

# %% [markdown]
# ## Plan first: it reads nothing and costs nothing

# %%
model = kith.KMeans(3, epsilon=.5, delta=1e-6, bounds=bounds, normalize=True,
                    missing="drop")
plan = kith.KMeans(3, epsilon=.5, delta=1e-6,
                   bounds=(0, 1)).plan(n_rows=20_000, n_features=4)
print(plan)

# %% [markdown]
# ## A ledger keeps the budget of the year
# Every fit is charged before it draws anything, and nothing is refunded.

# %%
ledger = kith.Ledger.memory()
ledger.grant("visits-2026", epsilon=2, delta=1e-6)
with ledger.account("visits-2026"):
    model.fit(visits)
print(f"{ledger.remaining('visits-2026'):.0%} of the budget is left")

# %% [markdown]
# ## What was released

# %%
print(model.describe())
model

# %%
released = pd.DataFrame(model.cluster_centers_,
                        columns=model.feature_names_in_)
released["rows, about"] = model.cluster_weights_.round(-2)
print(released.round(1))
assert model.guarantee_ == "exact"
assert model.privacy_.check() <= model.privacy_.mu

# %% [markdown]
# ## Pictures: the centres with their noise, and where the budget went

# %%
kith.plot.centers(model)
kith.plot.budget(model)

# %% [markdown]
# ## A page for the others, and a file for the archive
# Both are made of released values: they may be published.

# %%
model.save("visits.json")
kith.report(model, "visits.html")
again = kith.load_model("visits.json")
assert (again.cluster_centers_ == model.cluster_centers_).all()

# %% [markdown]
# ## When the budget is over, it is over

# %%
try:
    with ledger.account("visits-2026"):
        kith.KMeans(3, epsilon=5, delta=1e-6, bounds=bounds,
                    missing="drop").fit(visits)
except kith.BudgetError as refusal:
    print("refused:", refusal)
