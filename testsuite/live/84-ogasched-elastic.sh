#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=ogasched with an elastic job: it has what is idle, less once another
# tenant's class has learned a share, and more when that one's jobs are gone; it
# writes its checkpoint each time. A job that is larger than its class's share is
# told of that share and of what would change it. After a kill of slurmctld the
# learned shares are what they were.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=ogasched
	RoundInterval=1
	SlotLength=10
	LearningRate=decay
	CheckpointGrace=3
EOT
start_cluster --accounting --nodes 1 --gpus 8 --cpus 16 --astraea "$conf"
rm -f "$conf"
for name in red blue; do
	sacctmgr -i add account name="$name" >/dev/null
	sacctmgr -i add user root account="$name" >/dev/null
done
begin=$(date +%s)
window=("start=$(date -d "@$begin" +%FT%R)"
	"end=$(date -d "@$((begin + 3600))" +%FT%R)")

# A line at the begin of each run, and one where it is told to leave.
cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
echo "run $ASTRAEA_GPUS after $ASTRAEA_GPUS_BEFORE here $SLURM_GPUS_ON_NODE"
trap 'echo "checkpoint at $ASTRAEA_GPUS"; exit 85' TERM
while :; do sleep 1000 & wait; done
EOT
on_failure() {
	job_log "$elastic"
	sacct -XPD -j "$elastic" -o state,submit,start,end,alloctres
}
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && [[ $(job_field "$1" TresPerJob) == *:"$2" ]]
}
job() { submit -A red --no-requeue "$@" --wrap 'exec sleep 1000'; }
why() { sfair why "$1" | tr -s '\n ' ' '; }
# shares: of each class what has been learned.
shares() {
	sfair class --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["classes"]:
    print(c["tenant"], c["gpus"], c["share_gpus"], c["share_cpus"])'
}

# ---- Nobody else: all that it can use.

elastic=$(submit -A blue --gpus=1 --gpu-range=1-6 --cpus-per-gpu=2 \
	--signal=B:TERM@5 --open-mode=append "$CLUSTER_DIR/work.sh")
wait_for 20 has "$elastic" 6
check_eq "CPUs" 12 "$(squeue -h -j "$elastic" -o %C)"
began() { [[ $(job_log "$elastic" 2>/dev/null) == "run 6 after 0 here 6" ]]; }
wait_for 20 began
ok starts-on-what-is-idle

# ---- The same while slurmdbd, which is slow, looks for its index: 22.05 asks for that
# ---- each 5 s, and changes no job meanwhile.

scancel "$elastic"
wait_for 20 job_is "$elastic" CANCELLED
scontrol update partitionname=gpu state=down
kill -STOP "$(<"$CLUSTER_DIR/pids/slurmdbd")"
elastic=$(submit -A blue --gpus=1 --gpu-range=1-6 --cpus-per-gpu=2 \
	--signal=B:TERM@5 --open-mode=append "$CLUSTER_DIR/work.sh")
sleep 6
scontrol update partitionname=gpu state=up
sleep 1.5
kill -CONT "$(<"$CLUSTER_DIR/pids/slurmdbd")"
wait_for 20 has "$elastic" 6
wait_for 20 began
ok starts-when-it-can-be-resized

# ---- Three jobs of another class: two on what is idle, the third by its share.

small=()
for _ in 1 2 3; do
	small+=("$(submit -A red --gres=gpu:1 --wrap 'exec sleep 1000')")
done
all_run() {
	local id
	for id in "${small[@]}"; do
		job_is "$id" RUNNING || return 1
	done
}
wait_for 60 all_run
wait_for 60 has "$elastic" 5
check_eq "CPUs" 10 "$(squeue -h -j "$elastic" -o %C)"
shrunk() {
	[[ $(job_log "$elastic") == *"checkpoint at 6"*"run 5 after 6 here 5"* ]]
}
wait_for 20 shrunk
ok shrinks-by-learned-shares

# ---- One that is larger than what its class may use.

large=$(submit -A red --gres=gpu:8 --wrap 'exec sleep 1000')
told() {
	[[ $(why "$large") == *"Jobs like it, of tenant red and of up to 8 GPUs, may use "*" together in this slot"* ]]
}
wait_for 20 told
why=$(why "$large")
echo "$why"
[[ $why == *"the next slot"* ]] || fail "it is not told what would change it"
no_share() { [[ $(reason_long "$large") == "Lease: its class has no GPUs left" ]]; }
wait_for 20 no_share
scancel "$large"
ok class-is-the-reason

# ---- slurmctld dies: the elastic job goes on; and once nobody waits for GPUs or
# ---- has them nothing is learned, so shares are as they were.

slurm_saves "$elastic"
restart_slurmctld KILL
wait_for 30 has "$elastic" 5
ok goes-on-after-a-kill

# ---- The others are gone.

scancel "${small[@]}"
wait_for 60 has "$elastic" 6
grown() {
	[[ $(job_log "$elastic") == *"checkpoint at 5"*"run 6 after 5 here 6"* ]]
}
wait_for 20 grown
runs() {
	sacct -nXPD -j "$elastic" -o alloctres | grep -o 'gres/gpu=[0-9]*' |
		uniq | tr '\n' ' '
}
booked() { [[ $(runs) == "gres/gpu=6 gres/gpu=5 gres/gpu=6 " ]]; }
wait_for 20 booked
ok grows

scancel "$elastic"
idle() { [[ -z $(squeue -h) ]]; }
wait_for 20 idle
sleep 8 # it is saved within three seconds
before=$(shares)
grep -q '^blue 8 [0-9.]*[1-9]' <<<"$before" || fail "nothing is learned: $before"
restart_slurmctld KILL
known() {
	shares >"$CLUSTER_DIR/after" 2>&1
	[[ $(<"$CLUSTER_DIR/after") == "$before" ]]
}
wait_for 20 known
ok learned-shares-outlive-a-kill

rewarded() {
	sfair cluster Rounds -nP "${window[@]}" format=Reward |
		grep >/dev/null -E '^[0-9.]*[1-9]'
}
wait_for 20 rewarded
ok reward
