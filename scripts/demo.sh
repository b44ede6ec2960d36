#!/usr/bin/env bash
# From nothing to published centres: make data, cluster it privately and, for
# comparison, without privacy; compare the costs. KITH: the command.
set -eu
cd "$(dirname "$0")/.."
kith=${KITH:-build/release/tools/kith/kith}
rows=100000 dimension=10 clusters=8
mkdir -p demo
python3 scripts/visits.py demo # the quick start of the README uses these
# Only what it makes itself: model.json is the quick start's.
rm -f demo/private.json demo/non-private.json demo/cost.json \
    demo/non-private-cost.json

show() { # print a command, then run it
    echo "\$ kith $*"
    "$kith" "$@"
}

show generate gaussians --rows $rows --dimension $dimension -k $clusters \
    --seed 1 -o demo/rows.npy
started=$(date +%s%N)
show kmeans -k $clusters -e 1 --delta 1e-6 --radius 1 --quiet \
    -o demo/private.json demo/rows.npy
private_ms=$((($(date +%s%N) - started) / 1000000))
started=$(date +%s%N)
show kmeans -k $clusters --radius 1 --non-private --starts 5 --quiet \
    -o demo/non-private.json demo/rows.npy
plain_ms=$((($(date +%s%N) - started) / 1000000))
show evaluate demo/private.json -o demo/cost.json demo/rows.npy
show evaluate demo/non-private.json -o demo/non-private-cost.json \
    demo/rows.npy

python3 - "$private_ms" "$plain_ms" <<'END'
import json
import sys


def load(name):
    with open(f"demo/{name}", encoding="utf-8") as file:
        return json.load(file)


model, private, plain = map(
    load, ("private.json", "cost.json", "non-private-cost.json"))
privacy = model["privacy"]
ratio = private["cost_per_row"] / plain["cost_per_row"]
print(f"""
{private['rows']} rows of dimension {model['dimension']}, {model['k']} clusters
  guarantee    {privacy['guarantee']}: epsilon {privacy['epsilon']:g}, delta \
{privacy['delta']:g}, {privacy['adjacency']} neighbours
               paid in {len(privacy['releases'])} releases, listed in the model
  cost a row   {private['cost_per_row']:.6f} private
               {plain['cost_per_row']:.6f} not private (k-means++ and Lloyd, \
best of 5)
               ratio {ratio:.3f}
  time         {int(sys.argv[1]) / 1000:.2f} s private, \
{int(sys.argv[2]) / 1000:.2f} s not private, reading included
  model        demo/private.json: this may be published
  (rows, costs and the non-private model may not: they see single rows)""")
END
