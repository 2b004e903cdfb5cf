#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Gangs of all GPUs start within their bound, whatever the others do: their own
# tenant's flood, a tenant that submits a small job each half second while GPUs
# are collected, a change of the gang's size, a node that is drained and resumed,
# jobs that need longer than a lease for their checkpoints, and 1,000 gangs that
# come at once. squeue answers within a second all the time, and slurmctld's log
# has no error of ours.
#
# Cores are allocated here and no memory, nodes have weights, and Slurm forgets
# jobs soon.
# live.sh sets patience.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

term=8
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=$term CheckpointGrace=3
	RecallAfter=2
	Tenant=a Accounts=a
	Tenant=b Accounts=b
	Tenant=m Accounts=m
EOT
start_cluster --nodes 4 --gpus 4 --cpus 16 --astraea "$conf" \
	--slurm SelectTypeParameters=CR_Core --slurm DefMemPerCPU= \
	--slurm MinJobAge=2 --node 'n1 Weight=50' --node 'n3 Weight=7'
rm -f "$conf"

slow=$CLUSTER_DIR/out/slow
# A second of a machine without other work is enough for squeue.
watch_squeue() {
	# shellcheck disable=SC2034
	local wait_left wait_looked
	while :; do
		wait_begins "$patience"
		squeue -h >/dev/null || echo "squeue failed"
		wait_goes_on || echo "more than $patience s"
		sleep 0.3
	done >"$slow" 2>&1
}
watch_squeue &
watcher=$!
on_failure() {
	end_child "$watcher"
	squeue
	sfair diag
	[[ ! ${gang-} ]] || sfair why "$gang"
}

flood() { # ACCOUNT TASKS
	submit -A "$1" --gres=gpu:1 -o /dev/null --array="1-$2" \
		--wrap 'exec sleep 7' >/dev/null
}
endless() { # ACCOUNT NODES: a gang
	submit -A "$1" --gpus-per-node=4 -N "$2" --signal=B:USR1 \
		--open-mode=append --wrap 'trap "exit 85" USR1
			sleep 100000 & wait'
}
started() { [[ $(job_state "$1") == RUNNING || $(job_field "$1" Restarts) != 0 ]]; }
full() { (($(squeue -h -t R | wc -l) >= ${1-16})); }
is_clean() {
	[[ -z $(squeue -h -t PD,R,CG) ]] &&
		! scontrol show node | grep >/dev/null COMPLETING
}
# starts NAME JOB: within its bound, of three tenants: 2 + 16 / 5.3 terms, and
# what jobs take to leave.
starts() {
	wait_for $((5 * term + 10)) started "$2"
	check "$1: a first start was late" \
		grep -q 'Over the bound  *0$' <<<"$(sfair diag)"
	ok "$1"
	scancel -u root
	wait_for 60 is_clean
}

flood a 40
wait_for 20 full
gang=$(endless a 4)
starts "one tenant" "$gang"

flood a 60
wait_for 20 full
gang=$(endless b 4)
end=$((SECONDS + 5 * term * patience))
until started "$gang" || ((SECONDS > end)); do
	submit -A m --gres=gpu:1 -o /dev/null --wrap 'sleep 3' >/dev/null
	sleep 0.5
done
starts "a small job of another tenant each time" "$gang"

flood a 60
wait_for 20 full
gang=$(endless b 4)
for nodes in 3 2 4 3 4; do
	scontrol update "jobid=$gang" "NumNodes=$nodes" || :
	sleep 0.7
done
starts "a size that changes" "$gang"

flood a 60
wait_for 20 full
gang=$(endless b 4)
too_few() {
	started "$gang" ||
		[[ $(sfair why "$gang" | tr '\n' ' ') == *'too few nodes that are up'* ]]
}
for _ in 1 2; do
	scontrol update nodename=n2 state=drain reason=test
	wait_for 10 too_few
	scontrol update nodename=n2 state=resume
	sleep 1
done
starts "a node that is drained" "$gang"

for _ in 1 2 3 4; do
	submit -A m --gpus-per-node=4 -N 1 --signal=B:USR1 -o /dev/null \
		--wrap 'trap "sleep 20; exit 85" USR1
			while :; do sleep 1; done' >/dev/null
done
wait_for 20 full 4
gang=$(endless b 4)
starts "checkpoints longer than a lease" "$gang"

submit -A b --gpus-per-node=4 -N 2 -o /dev/null --array=1-1000 \
	--wrap 'exec sleep 2' >/dev/null
gang=$(endless m 4)
starts "1,000 gangs" "$gang"

kill "$watcher"
check_eq "squeue took longer" "" "$(cat "$slow")"
check_eq "errors in slurmctld's log" "" "$(errors_of_ours)"
ok "squeue answers, and the log has no errors"
