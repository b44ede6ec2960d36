#!/usr/bin/env bash
# The quick start of the README: a table, public bounds, a budget; then the
# spend trace is added up. Works in a directory of its own, which it removes.
#   KITH=build/release/tools/kith/kith examples/quickstart.sh
set -eu
kith=$(command -v "${KITH:-kith}") || {
    echo "quickstart: no kith in PATH: make install, or set KITH" >&2
    exit 1
}
kith=$(realpath "$kith")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A table of 30,000 visits: age and blood pressure, three groups.
awk 'BEGIN { print "age,systolic"
    for (i = 0; i < 30000; i++) { g = i % 3
        print 25 + 20 * g + i % 10 "," 115 + 12 * g + int(i / 3) % 15 } }' \
    >visits.csv

# What the features can be, known without looking: one line per feature.
printf 'lo,hi\n0,110\n60,220\n' >bounds.csv

# What would it cost? Reads no data.
"$kith" kmeans -k 3 -e 1 --delta 1e-6 --bounds-file bounds.csv --normalize \
    --dry-run --rows 30000 --dimension 2 -o plan.json

# The private run. model.json may be published.
"$kith" kmeans -k 3 -e 1 --delta 1e-6 --bounds-file bounds.csv --normalize \
    -o model.json visits.csv

# Check the spend trace: the squares of mu must not exceed the square of mu.
python3 - <<'END'
import json

with open("model.json", encoding="utf-8") as file:
    model = json.load(file)
privacy = model["privacy"]
spent = sum(r["loss"]["mu"] ** 2 for r in privacy["releases"])
for center, size in zip(model["centers"], model["weights"]):
    print(f"age {center[0]:.1f}, pressure {center[1]:.1f}, about {size:.0f}")
print(f"guarantee {privacy['guarantee']}: mu^2 spent {spent:.8f}"
      f" of {privacy['mu'] ** 2:.8f}")
assert spent <= privacy["mu"] ** 2
END

# NOT private: for the holder of the rows only.
"$kith" evaluate model.json visits.csv
