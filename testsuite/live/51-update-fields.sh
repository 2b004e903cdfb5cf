#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scontrol update of each field of a waiting and of a running job, by its user and by
# root: whether it is taken and what the job is afterwards is as under stock Slurm. What
# differs is declared below.
. "$(dirname "$0")/../lib/live.sh"

# A lease is given up by no user.
declared='running user Requeue=0'

hour=$(date -d '1 hour' +%Y-%m-%dT%H:%M:00)
day=$(date -d '1 day' +%Y-%m-%dT%H:%M:00)
fields=(AdminComment=x ArrayTaskThrottle=2 BurstBuffer=x CPUsPerTask=2 Comment=x
	Contiguous=yes CoreSpec=1 Deadline="$day" DelayBoot=10 Dependency=singleton
	EligibleTime="$hour" EndTime="$hour" ExcNodeList=n2 Features=red Gres=gpu:2
	Licenses=a:1 MailType=ALL MailUser=me MinCPUsNode=2 MinMemoryCPU=100
	MinMemoryNode=100 MinTmpDiskNode=10 Name=y Network=x Nice=-10 Nice=10
	NodeList=n1 NumCPUs=2 NumNodes=1-2 NumTasks=2 OverSubscribe=yes Prefer=red
	Priority=0 Priority=100 QOS=x ReqNodeList=n1 Requeue=0 Requeue=1
	ReservationName=x ResetAccrueTime SiteFactor=5 StartTime="$hour"
	StdOut=/tmp/x Switches=1@10 TasksPerNode=1 ThreadSpec=1 TimeLimit+=5
	TimeLimit-=5 TimeLimit=30 TimeLimit=90 TimeLimit=UNLIMITED TimeMin=10
	TresPerJob="$GPU_TRES:2" TresPerNode="$GPU_TRES:2" TresPerTask="$GPU_TRES:1"
	UserID=daemon WCKey=x WorkDir=/tmp)
# Moments, places, and what says why the job waits.
apart='JobId|UserId|[A-KM-Z][A-Za-z]*Time|BatchHost|NodeList|StdErr|StdOut|StdIn'
apart+='|LastSchedEval|SecsPreSuspend|WorkDir|Command|AllocNode:Sid|Scheduler|Priority|Reason'

by() { if [[ $who == user ]]; then as_other "$@"; else "$@"; fi; }
new() {
	as_other sbatch --parsable -o /dev/null --chdir=/ --gpus=1 -t 60 "$@" \
		--wrap 'sleep 600'
}
# change STATE FIELD=VALUE JOB: the answer and the job, a line.
change() {
	local answer=yes
	by scontrol update jobid="$3" "$2" 2>/dev/null || answer=no
	echo "$1 $who $2: $answer $(scontrol -o show job "$3" | tr ' ' '\n' |
		grep = | grep -vE "^($apart)=" | xargs -d '\n')"
}
all_run() {
	local id
	for id in "${ids[@]}"; do job_is "$id" RUNNING || return 1; done
}
nobody() { [[ -z $(squeue -h) ]]; }
changes() {
	local who field id ids i
	for who in user root; do
		for field in "${fields[@]}"; do
			id=$(new -H)
			change waiting "$field" "$id"
			scancel "$id"
		done
		for ((i = 0; i < ${#fields[@]}; i += 16)); do
			ids=()
			for field in "${fields[@]:i:16}"; do ids+=("$(new -w n1)"); done
			wait_for 60 all_run
			for field in "${fields[@]:i:16}"; do
				change running "$field" "${ids[0]}"
				ids=("${ids[@]:1}")
			done
			scancel -u games
			wait_for 60 nobody
		done
	done
}

options=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1' >"$options"
shape=(--nodes 2 --gpus 16 --cpus 32 --node 'n1 Feature=red' --node 'n2 Feature=blue'
	--slurm Licenses=a:4)
start_cluster --needs minage=300 "${shape[@]}" --astraea "$options"
rm "$options"
changes >"$CLUSTER_DIR/ours"
check_eq "errors of ours" '' "$(errors_of_ours)"
"$live_lib/cluster" up "$CLUSTER_DIR/s" "${shape[@]}" --stock --vary "$vary" >/dev/null
end_stock() {
	local status=$?
	"$live_lib/cluster" down "$CLUSTER_DIR/s" || status=1
	live_end "$status"
}
trap end_stock EXIT
(
	# shellcheck source=/dev/null
	. "$CLUSTER_DIR/s/env"
	changes
) >"$CLUSTER_DIR/stock"
check "all has been tried" test "$(wc -l <"$CLUSTER_DIR/stock")" \
	-eq $((4 * ${#fields[@]}))
differs=$({ diff "$CLUSTER_DIR/stock" "$CLUSTER_DIR/ours" || :; } |
	sed -n 's/^> \([^:]*\): .*/\1/p')
[[ $differs == "$declared" ]] ||
	diff "$CLUSTER_DIR/stock" "$CLUSTER_DIR/ours" || :
check_eq "what differs from stock Slurm" "$declared" "$differs"
