#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A clean checkpoint is a requeue to Slurm: dependencies, submit limits, mails, exit
# codes, sacct's records and a scancel during the epilog are what they are after
# "scontrol requeue". Both are done to the same jobs; the two lists of effects are
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
# A job whose name has a file there stays in its epilog.
cat >"$dir/epilog" <<-EOT
	#!/bin/bash
	while [ -e "$dir/hold.\$SLURM_JOB_ID" ]; do sleep .3; done
EOT
chmod 755 "$dir/mail" "$dir/epilog"
touch "$dir/mails"
conf=$dir/astraea.conf
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=4 Promise=no
EOT
start_cluster --needs minage=300 --accounting --nodes 1 --gpus 5 --slurm "MailProg=$dir/mail" \
	--slurm "Epilog=$dir/epilog" --astraea "$conf"
trap 'status=$?; rm -rf "$dir"; live_end $status' EXIT
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
for account in a b; do
	mgr add account $account
	mgr add user root account=$account MaxSubmitJobs=1000
done

# The first run lasts until its checkpoint, the second is short.
cat >"$CLUSTER_DIR/out/job" <<-'EOT'
	#!/bin/bash
	trap 'exit 85' USR1
	((${SLURM_RESTART_COUNT:-0})) || { sleep 1000 & wait; }
EOT
chmod 755 "$CLUSTER_DIR/out/job"
a_job() { submit -A a --gres=gpu:1 --signal=B:USR1@1 "$@" "$CLUSTER_DIR/out/job"; }
after() { sbatch --parsable -p cpu -A a -o /dev/null -J "$1-$2" -d "$1:$3" --wrap true; }

counted() { # jobs of account a, for its limit
	scontrol show assoc_mgr accounts=a users=root flags=assoc |
		sed -n '/UserName=root/,$s/.*MaxSubmitJobs=[^(]*(\([0-9]*\)).*/\1/p'
}
submitted() { # those of this time
	echo $(($(counted) - counted_before))
}
limited() {
	scontrol show assoc_mgr accounts=a users=root flags=assoc |
		grep >/dev/null "MaxSubmitJobs=$((counted_before + 14))("
}
all_are() { # STATE ID...
	local state=$1 id
	shift
	for id; do job_is "$id" "$state" || return 1; done
}
each_restarted() {
	local id
	for id; do [[ $(job_field "$id" Restarts) == 1 ]] || return 1; done
}
records() { sacct -nPX -D -j "$1" -o state,exitcode,derivedexitcode | paste -sd' '; }
recorded() { # ID: its last run has an end
	[[ $(records "$1") == *COMPLETED* ]]
}
settled() { job_is "$1" COMPLETED ||
	[[ $(job_reason "$1") == DependencyNeverSatisfied ]]; }
names() { sed -E "s/\b$one\b/ONE/g; s/\b$many(_[0-9*]+)? \([0-9]+\)/MANY\1/g
	s/\b$each(_[0-9*]+)? \([0-9]+\)/EACH\1/g; s/(Run|Queued) time [0-9:]+/\1 time T/"; }
mails() {
	echo "mail of $1"
	grep "Job_id=$2[_ ]" "$dir/mails" | names | sort | sed 's/^/    /'
}
all_mailed() { (($(grep -cE ' (Ended|Failed)' "$dir/mails") >= 3)); }

# effects FILE HOW: HOW takes jobs back once.
effects() {
	local id tasks ids held dependents counted_before
	counted_before=$(counted)
	# They start in one round, so that their leases end in one.
	scontrol update partitionname=gpu state=down
	one=$(a_job -J one --mail-type=ALL)
	many=$(a_job -J many --array=1-2 --mail-type=ALL)
	each=$(a_job -J each --array=1 --mail-type=ALL,ARRAY_TASKS)
	held=$(a_job -J held)
	tasks=("${many}_1" "${many}_2" "${each}_1")
	ids=("$one" "${tasks[@]}" "$held")
	scontrol update partitionname=gpu state=up
	wait_for 30 all_are RUNNING "${ids[@]}"
	dependents=()
	for id in afterok afterany afternotok; do
		dependents+=("$(after $id one "$one")" "$(after $id many "$many")"
			"$(after $id task "${many}_1")")
	done
	mgr modify user root where account=a set \
		MaxSubmitJobs=$((counted_before + 14))
	wait_for 20 limited
	exec 3>"$1"
	echo "submitted while they run $(submitted)" >&3
	touch "$dir/hold.$held"
	"$2" "${ids[@]}"
	for id in "$one" "${tasks[@]}"; do
		echo "$(names <<<"$id") waits: exit code $(job_field "$id" ExitCode)," \
			"mail $(job_field "$id" MailType)"
	done | sed "s/^$many/MANY/;s/^$each/EACH/" >&3
	echo "submitted while they wait $(submitted)" >&3
	echo "one more is $(a_job -H >"$dir/more" 2>&1 && echo taken || echo refused)" >&3
	wait_for 20 job_is "$held" COMPLETING
	scancel "$held"
	rm "$dir/hold.$held"
	wait_for 30 eval "! job_is $held COMPLETING"
	echo "cancelled in its epilog: $(job_state "$held")" >&3
	scancel "$held"
	let_run "$one" "${tasks[@]}"
	wait_for 60 all_are COMPLETED "$one" "${tasks[@]}"
	for id in "${dependents[@]}"; do
		wait_for 30 settled "$id"
		echo "$(job_field "$id" JobName): $(job_state "$id")" >&3
	done
	scancel "${dependents[@]}"
	for id in "$one" "${tasks[@]}"; do
		wait_for 20 recorded "$id"
		echo "sacct: $(records "$id")" >&3
	done
	wait_for 20 all_mailed
	{ mails one "$one"; mails many "$many"; mails each "$each"; } >&3
	echo "submitted at the end $(submitted)" >&3
	exec 3>&-
	mgr modify user root where account=a set MaxSubmitJobs=1000
	scancel -u root
	wait_for 30 eval '[[ ! $(squeue -h) ]]'
	: >"$dir/mails"
}

# Slurm lets what it has requeued wait for two minutes.
by_requeue() {
	local id
	for id; do scontrol requeue "$id"; done
	wait_for 30 each_restarted "${@:1:$#-1}"
	wait_for 30 all_are PENDING "${@:1:$#-1}"
}
by_checkpoint() {
	rival=$(submit -A b --gres=gpu:4 --wrap 'sleep 600')
	wait_for 60 each_restarted "${@:1:$#-1}"
	wait_for 30 all_are PENDING "${@:1:$#-1}"
}
let_run() {
	local id
	[[ ! $rival ]] || scancel "$rival"
	for id; do # it may have had the GPU of the one that was cancelled
		scontrol update jobid="$id" StartTime=now ||
			! job_is "$id" PENDING
	done
}

rival=''
effects "$dir/requeue" by_requeue
effects "$dir/checkpoint" by_checkpoint
diff --side-by-side --width=150 "$dir/requeue" "$dir/checkpoint" ||
	fail "a clean checkpoint has other effects than scontrol requeue"
ok clean-checkpoint-is-a-requeue
