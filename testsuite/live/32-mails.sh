#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Over ten leases a user gets the mails of ten times "scontrol requeue", for each
# --mail-type: of jobs that end well or badly, of arrays, of their tasks, and of an
# array one of whose tasks is over just after another has left. The two tables are
# printed side by side and have to be equal.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cat >"$dir/mail" <<-EOT
	#!/bin/bash
	echo "\$2" >>$dir/mails
EOT
chmod 755 "$dir/mail"
touch "$dir/mails"
conf=$dir/astraea.conf
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=10 LeaseTerm=5 CheckpointGrace=4 Promise=no
EOT
start_cluster --needs minage=300 --nodes 1 --gpus 48 --cpus 64 --slurm "MailProg=$dir/mail" --astraea "$conf"
trap 'status=$?; rm -rf "$dir"; live_end $status' EXIT
leases=2
export leases

cat >"$CLUSTER_DIR/out/job" <<-'EOT'
	#!/bin/bash
	first_runs() {
		[[ $(scontrol -o show job "${SLURM_ARRAY_JOB_ID}_1") == *JobState=RUNNING* ]]
	}
	[[ $SLURM_JOB_NAME$SLURM_ARRAY_TASK_ID == early*2 ]] &&
		trap 'while first_runs; do sleep .5; done; exit 0' USR1 || trap 'exit 85' USR1
	((${SLURM_RESTART_COUNT:-0} >= leases)) || { sleep 1000 & wait; }
	[[ $SLURM_JOB_NAME != bad* && $SLURM_ARRAY_TASK_ID != 2 ]]
EOT
chmod 755 "$CLUSTER_DIR/out/job"
job() { submit --gres=gpu:1 --signal=B:USR1@1 -t 60 "$@" "$CLUSTER_DIR/out/job"; }
all_are() { # STATES RESTARTS
	local id
	for id in "${ids[@]}"; do
		[[ "$(scontrol show job "$id")" =~ \ JobState=($1)\ .*\ Restarts=$2\  ]] ||
			return 1
	done
}
running() {
	local id
	for id; do job_is "$id" RUNNING || return 1; done
}
ends() { (($(grep -c ' Summary .*_\* .* Failed' "$dir/mails") >= 2)); }
# mails FILE HOW: HOW takes jobs back once, and lets them start again.
mails() {
	local type id n
	: >"$dir/mails"
	ids=() early=()
	# All start in one round, so that all leases end together.
	scontrol update partitionname=gpu state=DOWN
	for type in ALL BEGIN END FAIL REQUEUE TIME_LIMIT_50; do
		ids+=("$(job -J "good-$type" --mail-type=$type)"
			"$(job -J "bad-$type" --mail-type=$type)")
		id=$(job -J "array-$type" --mail-type=$type --array=1-2)
		ids+=("${id}_1" "${id}_2")
		id=$(job -J "tasks-$type" --mail-type=$type,ARRAY_TASKS --array=1-2)
		ids+=("${id}_1" "${id}_2")
		id=$(job -J "early-$type" --mail-type=$type --array=1-2)
		ids+=("${id}_1")
		early+=("${id}_2")
	done
	scontrol update partitionname=gpu state=UP
	wait_for 60 running "${early[@]}"
	for ((n = 1; n <= leases; n++)); do
		wait_for 60 all_are RUNNING $((n - 1))
		"$2" "$n"
	done
	wait_for 60 all_are 'COMPLETED|FAILED' "$leases"
	wait_for 20 ends
	sed -E 's/Slurm //; s/Job_id=[0-9]+/ID/; s/\([0-9]+\)//
		s/(Run|Queued) time [0-9:]+/\1 time T/' "$dir/mails" |
		sed -E 's/(.*) Name=([^ ,]*)(.*)/\2: \1\3/' | sort | uniq -c >"$1"
}
by_requeue() {
	local list
	list=$(IFS=,; echo "${ids[*]}")
	scontrol requeue "$list"
	(($1 > 1)) || scancel --batch -s USR1 "${early[@]}"
	wait_for 60 all_are PENDING "$1"
	# Slurm lets what it has requeued wait for two minutes.
	scontrol update jobid="$list" StartTime=now
}
by_checkpoint() {
	submit -A b --gres=gpu:48 --wrap 'sleep 1' >"$dir/rival"
	wait_for 60 all_are 'PENDING|RUNNING|COMPLETED|FAILED' "$1"
}

mails "$dir/requeue" by_requeue
mails "$dir/checkpoint" by_checkpoint
diff --side-by-side --width=150 "$dir/requeue" "$dir/checkpoint" ||
	fail "over ten leases a user gets other mails than by scontrol requeue"
ok mails-of-leases
