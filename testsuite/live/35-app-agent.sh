#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Four jobs of a search for hyper-parameters share two GPUs. Beside them, as
# their user, runs sfair-agent: by successive halving it gives up the two worst
# at the first rung and one more at the second, and the best is finished. What
# it bids is the app's bid; a program of the user's own may decide, too.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis
	RoundInterval=1
	LeaseTerm=4
	CheckpointGrace=3
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out

# Iterations of 0.2 s, 100 of them. It says where it is at once, not only when
# sfair.progress() would: these jobs are as short as few are.
cat >"$out/search.py" <<'EOT'
import os, sys, time
import sfair

TOTAL = 100
task = int(os.environ["SLURM_ARRAY_TASK_ID"])
state = f"{sys.argv[1]}/state.{task}"
place = sfair.Place(os.environ)
done = int(open(state).read()) if os.path.exists(state) else 0
sfair.on_lease_end()
while done < TOTAL and not sfair.lease_ending():
    time.sleep(0.2)
    done += 1
    with open(state + ".new", "w") as new:
        new.write(str(done))
    os.rename(state + ".new", state)
    loss = abs(task - 2) + 1 / done
    try:
        sfair.exchange(place, {"request": "progress", "run": place.run,
                               "done": done, "total": TOTAL,
                               "iter_sec": 0.2, "loss": loss})
    except (OSError, sfair.Refused) as why:
        print(why, flush=True)
sys.exit(0 if done == TOTAL else 85)
EOT
chmod 644 "$out/search.py"
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1

id=$(as_other sbatch --parsable -o "$out/%A_%a" --open-mode=append --chdir=/ \
	--array=0-3 --app=search --gres=gpu:1 --signal=B:USR1@60 --requeue \
	--wrap "exec python3 $out/search.py $out")
"${other_user[@]}" timeout 300 sfair-agent --app=search --interval=0.5 \
	--scheduler=halving:eta=2,rungs=5/10/100,jobs=4 \
	>"$out/agent" 2>&1 &
agent_pid=$!

task_is() { job_is "${id}_$1" "$2"; }

# ---- Its bid is the app's, and it is the user's alone.

bids() {
	sfair auction --json | python3 -c '
import json, sys
print([app["bid"] for app in json.load(sys.stdin)["apps"]])' 2>/dev/null
}
bids_itself() { [[ $(bids) == "['agent']" ]]; }
wait_for 30 bids_itself

# ---- Another looks at it: nothing is done, all is said.

cat >"$out/mine" <<'EOT'
#!/bin/sh
exec python3 -c '
import json, sys
jobs = [job["job"] for job in json.load(sys.stdin)["jobs"]]
print(json.dumps({"rho": {"slot": [7]}, "stop": jobs}))'
EOT
chmod 755 "$out/mine"
as_other sfair-agent --app=search --scheduler="exec:$out/mine" --once \
	--dry-run >"$out/dry" || fail "$(cat "$out/dry")"
grep -q '^bid {"rho":{"slot":\[7\],"machine":\[7\],' "$out/dry" ||
	fail "$(cat "$out/dry")"
grep -qE '^stop( [0-9]+)+$' "$out/dry" || fail "$(cat "$out/dry")"

# ---- The worst are given up, the best goes on.

for task in 0 3 1; do
	wait_for 60 task_is "$task" CANCELLED
done
grep -qx "sfair-agent: gives up .*${id}_0.*" "$out/agent" ||
	fail "it does not say so: $(cat "$out/agent")"

wait_for 120 task_is 2 COMPLETED
check_eq "the steps of the best" 100 "$(cat "$out/state.2")"
for task in 0 1 3; do
	(($(cat "$out/state.$task") < 100)) || fail "task $task was finished"
done
wait "$agent_pid" || fail "the agent failed: $(cat "$out/agent")"
check_eq "what the agent said" 3 \
	"$(sed -n 's/^sfair-agent: gives up//p' "$out/agent" | wc -w)"

# ---- An app that is not there, asked for by Slurm's configuration alone.

! as_other env -u SFAIR_SOCKET -u MUNGE_SOCKET sfair-agent \
	--app=nosuch --once 2>"$out/none" || fail "no such app"
grep -q '^sfair-agent: error: app nosuch' "$out/none" ||
	fail "$(cat "$out/none")"
