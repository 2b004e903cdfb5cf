#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Last store: a program that is deep in an iteration when its lease ends has
# its latest snapshot written all the same, and is known to; one whose iteration
# ends within the grace loses nothing. A run goes on from what the one before
# left, and a process of that one, as on a node that was given up, can neither
# write nor come back.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=4
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
mkdir "$out/store"

# The state is the steps that were done; the first run falls asleep.
cat >"$out/train.py" <<'EOT'
import os, sys, time
import sfair

run = int(os.environ.get("SLURM_RESTART_COUNT", 0))
with sfair.Store(sys.argv[1], "model") as store:
    step, state = store.load() or (0, b"")
    print("run", run, "from", step, flush=True)
    assert state.split() == [b"%d" % i for i in range(1, step + 1)]
    while not sfair.lease_ending():
        step += 1
        state += b"%d\n" % step
        store.put(step, state)
        print("run", run, "put", step, flush=True)
        time.sleep(0.2 if run or step < 10 else 1000)
print("run", run, "saved", step, flush=True)
sys.exit(85)
EOT

said() { sed -n "s/^run $1 //p" "$out/$id" | tail -n 1; }
known() {
	sfair job -j "$id" --json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["jobs"]:
    print((job["checkpoint"] or {}).get("step"))'
}
is_known() { [[ $(known) == "$1" ]]; }
rival() { submit --gres=gpu:2 --no-requeue --wrap 'exec sleep 1000'; }

id=$(sbatch --parsable -o "$out/%j" --open-mode=append --chdir=/ \
	--gres=gpu:2 --signal=B:USR1@60 --requeue \
	--wrap "exec python3 $out/train.py $out/store")
put_10() { [[ $(said 0) == "put 10" ]]; }
wait_for 30 put_10
check "nothing is written without need" [ ! -e "$out"/store/*.ckpt ]

# ---- It sleeps on, until it is killed as the grace is over.

first=$(rival)
wait_for 60 job_is "$first" RUNNING
check_eq "what run 0 said last" "put 10" "$(said 0)"
check_eq "what it wrote" model.0000000000000010.0000000001.ckpt \
	"$(basename "$out"/store/*.ckpt)"
wait_for 20 is_known 10
scancel "$first"

# ---- The next run goes on from there, and leaves by itself.

wait_for 30 job_is "$id" RUNNING
goes_on() { [[ $(said 1) == "put "* ]]; }
wait_for 30 goes_on
check "run 1 goes on" grep -qx "run 1 from 10" "$out/$id"
check_eq "what a process of run 0 may open" Stale "$(
	SLURM_JOB_ID=$id SLURM_RESTART_COUNT=0 python3 -c '
import sys, sfair
try:
    sfair.Store(sys.argv[1], "model")
except sfair.Stale:
    print("Stale")' "$out/store")"
second=$(rival)
wait_for 60 job_is "$second" RUNNING
last=$(said 1)
[[ $last == "saved "* ]] || fail "run 1 did not save: $(cat "$out/$id")"
wait_for 20 is_known "${last#saved }"
scancel "$second"
from() { grep -qx "run 2 from ${last#saved }" "$out/$id"; }
wait_for 60 from
