#!/usr/bin/env bash
# The local model for real: kithd on SQLite, 20,000 devices that answer over
# HTTP, and the model that comes out, next to the simulation of the same
# devices. KITH, KITHD: the commands; PORT: of the public listener.
set -eu
cd "$(dirname "$0")/.."
kith=$(realpath "${KITH:-build/release/tools/kith/kith}")
kithd=$(realpath "${KITHD:-build/release/tools/kithd/kithd}")
port=${PORT:-8080} devices=${DEVICES:-20000}
public=http://127.0.0.1:$port operator=http://127.0.0.1:$((port + 1))
mkdir -p demo/service
cd demo/service
rm -f kithd.db* devices.bin

echo "1. A task: 3 centres of 2 features, epsilon 2 for each person, one report."
"$kith" generate gaussians --rows "$devices" --dimension 2 -k 3 --seed 2 \
    -o rows.csv >/dev/null 2>&1
# A test, so that coins can come from a seed and the simulation can be held
# against it; --close-at 0: a round is closed when all have answered.
"$kith" local create -k 3 -e 2 --dimension 2 --bounds=-1:1 --test --enrol open \
    --close-at 0 --title "A demonstration" --operator "make demo-service" \
    --purpose "Find three groups without learning where anybody is." \
    -o task.json 2>created
task=$(sed -n 's/.*task: //p' created)

echo "2. A service: kithd, $public for devices, $operator for you."
"$kithd" --task task.json --database sqlite:kithd.db --listen "127.0.0.1:$port" \
    --admin-listen "127.0.0.1:$((port + 1))" >started 2>log &
service=$!
trap 'kill $service 2>/dev/null || true' EXIT
for _ in $(seq 100); do
    grep -q '"ready"' log && break
    kill -0 $service 2>/dev/null || { cat log; exit 1; }
    sleep 0.1
done
sed -n 's/operator token: //p' started >token
chmod 600 token

echo "3. $devices devices, one a row: they enrol, check each round, answer once."
"$kith" local respond --server "$public" --task "$task" --operate "$operator" \
    --token-file token --insecure-seed 7 --state devices.bin --no-header rows.csv
"$kith" local result --server "$public" --task "$task" -o model.json
"$kith" local archive --server "$operator" --token-file token --task "$task" \
    -o archive.bin
"$kith" local replay archive.bin -o replayed.json
"$kith" local simulate --task task.json --insecure-seed 7 --no-header \
    -o simulated.json rows.csv

echo "4. What came out, and what the simulation of the same devices says:"
python3 - <<'END'
import json
import sys

collected, simulated = (json.load(open(name, encoding="utf-8"))
                        for name in ("model.json", "simulated.json"))
rows = max(len(collected["centers"]), len(simulated["centers"]))
print(f"{'the service':>28}{'the simulation':>32}")
for i in range(rows):
    line = ""
    for model in (collected, simulated):
        if i < len(model["centers"]):
            x, y = model["centers"][i]
            line += f"  ({x:8.4f}, {y:8.4f})  {model['weights'][i]:7.0f}"
        line = line.ljust(32)
    print(line)
same = all(collected[k] == simulated[k] for k in
           ("centers", "weights", "privacy", "rounds", "parameters"))
print("the same, bit for bit" if same else "THEY DIFFER")
sys.exit(not same)
END
cmp -s replayed.json model.json && echo "and so is the replay of the archive"
echo
echo "Open  $public/tasks/$task"
echo "and, as the operator (token in demo/service/token),"
echo "      $operator/tasks/$task"
if [ -t 0 ]; then
    read -r -p "Enter stops the service. " _
fi
