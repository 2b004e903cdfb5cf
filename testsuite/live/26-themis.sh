#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis on real daemons: two arrays and four jobs of one --app, each an
# app that wants every GPU, take turns at the leases' ends; their jobs checkpoint
# and count each step once; one that waits is told its place.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0.8
	RoundInterval=1
	LeaseTerm=8
	CheckpointGrace=3
EOT
start_cluster --nodes 2 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out

# Counts to 12, one a second. A line in its file is a step and its checkpoint in
# one.
cat >"$out/task.sh" <<'EOT'
#!/bin/bash
file=$OUT/steps.$1.${SLURM_ARRAY_TASK_ID-$2}
trap 'echo $1 >>$OUT/interrupted; exit 85' USR1
step=$(wc -l <"$file" 2>/dev/null || echo 0)
while ((step < 12)); do
	sleep 1 &
	wait $! || { wait; exit 85; }
	echo $((++step)) >>"$file"
done
EOT
export OUT=$out
# All are there at the first auction: who comes late finds the others so far on
# that nobody may be interrupted.
scontrol update partitionname=gpu state=down
for app in a b; do
	submit --array=0-3 --gres=gpu:1 --signal=B:USR1@60 \
		--open-mode=append "$out/task.sh" "$app" >/dev/null
done
for task in 0 1 2 3; do # the third app
	submit --app=search --gres=gpu:1 --signal=B:USR1@60 \
		--open-mode=append "$out/task.sh" c "$task" >/dev/null
done
scontrol update partitionname=gpu state=up
all_running() { [[ $(squeue -h -t R | wc -l) == 4 ]]; }
wait_for 30 all_running
told_their_place() {
	[[ $(sfair job -nP -o Reason) == *"won the auction, rank "* ]]
}
wait_for 30 told_their_place
every_app_ran() {
	local app
	for app in a b c; do
		compgen -G "$out/steps.$app.*" >/dev/null || return 1
	done
}
wait_for 60 every_app_ran
all_done() { [[ -z $(squeue -h) ]]; }
wait_for 200 all_done
[[ -s $out/interrupted ]] || fail "no task was interrupted"
for app in a b c; do
	for task in 0 1 2 3; do
		check_eq "the steps of $app, task $task" "$(seq 12)" \
			"$(cat "$out/steps.$app.$task")"
	done
done
