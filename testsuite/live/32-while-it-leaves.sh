#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In its epilog a job that left with its checkpoint answers Slurm's commands as after
# "scontrol requeue", even if the next round is not due soon. The epilog itself gives
# the commands, sooner than a user could.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
conf=$dir/astraea.conf
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=30 LeaseTerm=8 CheckpointGrace=6 Promise=no
EOT
# A job without a file of commands there has a plain epilog.
cat >"$dir/epilog" <<-EOT
	#!/bin/bash
	export PATH=$PATH
	do=$dir/do.\$SLURM_JOB_ID
	[[ -e \$do ]] || exit 0
	mv "\$do" "\$do.begun"
	. "\$do.begun" >"\$do.said" 2>&1
	mv "\$do.said" "\$do.done"
EOT
chmod 755 "$dir/epilog"
start_cluster --needs minage=300 --nodes 1 --gpus 8 --slurm "Epilog=$dir/epilog" --astraea "$conf"
trap 'status=$?; rm -rf "$dir"; live_end $status' EXIT

# The first run lasts until its checkpoint, the second is short.
cat >"$CLUSTER_DIR/out/job" <<-'EOT'
	#!/bin/bash
	trap 'exit 85' USR1
	((${SLURM_RESTART_COUNT:-0})) || { sleep 1000 & wait; }
EOT
chmod 755 "$CLUSTER_DIR/out/job"

commands=(
	'scancel ID'
	'scontrol hold ID'
	'scontrol requeue ID'
	'scontrol requeuehold ID'
	'scontrol suspend ID'
	'scontrol update jobid=ID Nice=70 Comment=said'
	'scontrol update jobid=ID TimeLimit=7'
	'scontrol update jobid=ID StartTime=now+1hour'
)
fields='JobState|Reason|Restarts|ExitCode|MailType|Nice|TimeLimit|Comment|Requeue'
# shellcheck disable=SC2016
show='scontrol show job "$SLURM_JOB_ID" | tr " " "\n" |
	grep -E "^('$fields')=" | paste -sd" "'
have_left() { # ID...: their epilogs are over
	local id
	for id; do
		[[ -e $dir/do.$id.done ]] && ! job_is "$id" COMPLETING &&
			! job_is "$id" RUNNING || return 1
	done
}
all_run() {
	local id
	for id; do job_is "$id" RUNNING || return 1; done
}
is_clean() { ! job_is "$1" COMPLETING; }
# A job that was requeued may have run again by now.
state_after() {
	local state
	state=$(job_state "$1")
	[[ $(job_field "$1" Restarts) != 1 || ! $state =~ ^(PENDING|RUNNING|COMPLETED)$ ]] ||
		state='waits or ran again'
	echo "$state"
}
# answers FILE HOW: HOW takes jobs back.
answers() {
	local i id ids=()
	for i in "${!commands[@]}"; do
		ids+=("$(submit --gres=gpu:1 --signal=B:USR1@2 --mail-type=ALL -t 60 \
			--hold "$CLUSTER_DIR/out/job")")
	done
	for i in "${!ids[@]}"; do
		id=${ids[i]}
		printf '%s\n%s; echo rc $?\n%s\n' "$show" "${commands[i]/ID/$id}" \
			"$show" >"$dir/do.$id"
	done
	scontrol release "${ids[@]}"
	wait_for 30 all_run "${ids[@]}"
	"$2" "${ids[@]}"
	wait_for 60 have_left "${ids[@]}"
	for i in "${!ids[@]}"; do
		id=${ids[i]}
		echo "${commands[i]}"
		# The number of a job may be that of something else, too.
		sed "s/\b\([Jj]ob *\|[Jj]ob[Ii]d=\)$id\b/\1ID/g
			s/Reason=[^ ]*/Reason=R/; s/^/    /" "$dir/do.$id.done"
		wait_for 30 is_clean "$id"
		echo "    then $(state_after "$id") restarts $(job_field "$id" Restarts)" \
			"priority 0: $([[ $(job_field "$id" Priority) == 0 ]] && echo yes || echo no)"
	done >"$1"
	scancel -u root
	wait_for 30 eval '[[ ! $(squeue -h) ]]'
}
by_requeue() {
	local id
	for id; do scontrol requeue "$id"; done
}
by_checkpoint() { submit -A b --gres=gpu:8 --wrap 'sleep 600' >"$dir/rival"; }

answers "$dir/requeue" by_requeue
answers "$dir/checkpoint" by_checkpoint
diff -U0 "$dir/requeue" "$dir/checkpoint" ||
	fail "in its epilog a job answers commands otherwise than after scontrol requeue"
ok leaves-as-requeued
