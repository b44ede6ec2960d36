# %% [markdown]
# # Digits: private centres as pictures
#
# How much does privacy cost? We cluster pictures of digits with and without
# it, choose the number of clusters and the budget by plans, which read no
# rows, and compare with scikit-learn.

# %%
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import kith

# %% [markdown]
# ## Rows
# 1,797 pictures of 8 x 8 pixels come with scikit-learn. Noise does not grow
# with the number of rows, so a private model of few rows is a poor one. To
# have as many as a real study we move each picture about a little, 20 times.

# %%
rng = np.random.default_rng(0)
small = load_digits().data
X = np.clip(np.repeat(small, 20, axis=0)
            + rng.normal(0, 1.5, (20 * len(small), 64)), 0, 16)
X = X.astype(np.float32)
print(X.shape, X.dtype)

# %% [markdown]
# ## Choose by plans: no rows, no cost
# The grey region: more clusters than the smallest budget can carry.

# %%
sweep = kith.sweep(kith.KMeans(bounds=(0, 16), delta=1e-6),
                   n_rows=len(X), n_features=64,
                   n_clusters=[5, 10, 20, 40], epsilon=[.25, 1, 4])
for row in sweep[:3]:
    print({name: row[name] for name in ("n_clusters", "epsilon", "noise")})
kith.plot.curve(sweep)

# %% [markdown]
# ## Fit
# Pixels are from 0 to 16: that is all that anybody has to know beforehand.

# %%
model = kith.KMeans(10, epsilon=1, delta=1e-6, bounds=(0, 16)).fit(X)
kith.plot.centers(model, shape=(8, 8))
model

# %% [markdown]
# ## Against scikit-learn
# Scores are exact, so they are not private, and kith says so. We hold the rows
# and may look.

# %%
with warnings.catch_warnings():
    warnings.simplefilter("ignore", kith.NotPrivateWarning)
    private = -model.score(X)
plain = KMeans(10, n_init=3, random_state=0).fit(X).inertia_
print(f"cost with privacy / without: {private / plain:.3f}")
assert private / plain < 1.1

# %% [markdown]
# ## Three candidates for one budget
# Each gets its share of epsilon = 2; choosing among released models is free.

# %%
candidates = kith.sweep(kith.KMeans(epsilon=2, delta=1e-6, bounds=(0, 16)),
                        X=X, n_clusters=[8, 10, 12])
for row in candidates:
    print(row["n_clusters"], "clusters, noise", round(row["noise"], 2))
kith.plot.budget(candidates[1]["model"])
