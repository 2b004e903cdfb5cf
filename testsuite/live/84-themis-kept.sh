#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis with elastic jobs: what jobs and agents said, and what was learned
# from it, is shown after a kill of slurmctld as before; an elastic job is given
# what is idle at its lease's end; one that waits is told why. A damaged file of
# it costs nothing else.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0.5
	RoundInterval=1
	LeaseTerm=30
	CheckpointGrace=3
EOT
start_cluster --nodes 2 --gpus 4 --cpus 16 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out
file=$CLUSTER_DIR/state/astraea-told
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1

# say JOB REQUEST KEY=VALUE...: as a job's own process does.
cat >"$out/say.py" <<'EOT'
import os, sys
import sfair
env = dict(os.environ, ASTRAEA_POOL="gpu", SLURM_JOB_ID=sys.argv[1])
said = {k: float(v) if "." in v else int(v)
        for k, v in (pair.split("=") for pair in sys.argv[3:])}
sfair.exchange(sfair.Place(env), dict(said, request=sys.argv[2], run=0))
EOT
say() { python3 "$out/say.py" "$@"; }

# shown: what is to outlive slurmctld.
cat >"$out/shown.py" <<'EOT'
import json, subprocess

def ask(*args):
    return json.loads(subprocess.check_output(("sfair",) + args + ("--json",)))

for job in sorted(ask("job")["jobs"], key=lambda job: job["id"]):
    print(job["id"], job["progress"], job["checkpoint"], job["slowdown"])
for app in ask("auction")["apps"]:
    print(app["app"], app["bid"], app["bid_sec"], app["slowdown"])
EOT
shown() { python3 "$out/shown.py"; }
number() { sfair auction | sed -n 's/^Pool gpu: auction \([0-9]*\),.*/\1/p'; }

asks() { [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && asks "$1" "$2"
}

# ---- Two jobs of an app say how fast they are: on one node, and on two.

near=$(submit --app=search -N1 --gres=gpu:2 --no-requeue --wrap 'exec sleep 1000')
far=$(submit --app=search -N2 --gres=gpu:1 --no-requeue --wrap 'exec sleep 1000')
wait_for 30 job_is "$near" RUNNING
wait_for 30 job_is "$far" RUNNING
filler=$(submit --gres=gpu:2 -N1 --no-requeue --wrap 'exec sleep 1000')
wait_for 30 job_is "$filler" RUNNING
elastic=$(submit --app=train --gpus=1 --gpu-range=1-4 --signal=B:TERM@60 \
	--open-mode=append --wrap 'echo "run $ASTRAEA_GPUS"
		trap "exit 85" TERM; while :; do sleep 1000 & wait; done')
wait_for 30 has "$elastic" 2
rival=$(submit --gres=gpu:4 -N1 --wrap 'exec sleep 1000')
say "$near" progress done=100 total=1000 iter_sec=0.5
say "$far" progress done=70 total=1000 iter_sec=1.0
say "$near" checkpointed step=90
python3 -c '
import sfair
sfair.bid(app="train", rho={"slot": [8, 4, 3, 2]})'
learned() { # an iteration takes twice as long across nodes
	local text
	text=$(shown)
	[[ $text == *"'step': 90"* && $text == *"train agent "* &&
		$text == *"search estimate None [1, 1, 2,"* ]] &&
		[[ $(grep -c " 1,1,2," <<<"$text") == 2 ]]
}
wait_for 20 learned
wait_for 20 test -s "$file"
before=$(shown)
auction=$(number)
sleep 8 # it is saved within three seconds
check "it is not told why it waits" grep -q '^Lease: ' <<<"$(job_reason "$rival")"
reason=$(job_reason "$rival")

# ---- A kill.

restart_slurmctld KILL
known() { [[ $(shown 2>/dev/null) == "$before" ]]; }
wait_for 30 known
(($(number) >= auction)) || fail "auctions are numbered anew: $(number)"
waits_as_before() { [[ $(job_reason "$rival") == "$reason" ]]; }
wait_for 30 waits_as_before
sfair why "$rival" || fail "sfair why fails"
job_is "$elastic" RUNNING || fail "the elastic job is $(job_state "$elastic")"
ok known-after-a-kill

# ---- More for the elastic job, at its lease's end.

scancel "$rival" "$filler"
wait_for 100 has "$elastic" 4
grown() { grep -qx 'run 4' "$out/$elastic"; }
wait_for 20 grown
ok grows

# ---- What is damaged is told and learned anew; leases go on.

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
rm -f "$file.old"
printf 'X' | dd of="$file" bs=1 seek=60 conv=notrunc status=none
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
told() { ctld_log 'error: astraea: what jobs and agents said.*checksum'; }
wait_for 20 told
diag_tells() {
	sfair diag 2>/dev/null |
		grep 'Warning .*what jobs and agents said.*checksum' >/dev/null
}
wait_for 20 diag_tells
check "it is not kept" test -e "$file.kept"
forgotten() { [[ $(shown 2>/dev/null) == "$near None None "* ]]; }
wait_for 20 forgotten
has "$elastic" 4 || fail "the elastic job has $(job_field "$elastic" TresPerJob)"
say "$near" progress done=200 total=1000 iter_sec=0.5
again() { [[ $(shown) == *"'done': 200"* ]]; }
wait_for 20 again
ok damage-is-told
