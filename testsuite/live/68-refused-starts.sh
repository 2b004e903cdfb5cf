#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job whose start Slurm refuses again and again harms nobody: after three rounds
# no lease ends for it, but once more after a term, and squeue, sfair why, sfair
# diag and the metrics say so. When its user changes the time limit, a lease ends
# for it at once. Where GPUs are idle it is tried, and starts once Slurm lets it.
# While it waits an srun starts at its submission where GPUs are idle for that.
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=12
	CheckpointGrace=1
	Pool=gpu Partitions=gpu
	Tenant=rich Accounts=rich
	Tenant=poor Accounts=poor
EOT
start_cluster --nodes 2 --gpus 4 --cpus 16 --astraea "$conf"
rm -f "$conf"

for _ in 1 2 3 4; do
	rich+=("$(submit -A rich -w n1 --gres=gpu:1 --wrap 'sleep 600')")
done
for id in "${rich[@]}"; do wait_for 30 job_is "$id" RUNNING; done
poor=$(submit -A poor -w n1 --gres=gpu:1 -H --wrap 'sleep 600')
echo "start.select $poor refuse" >"$CLUSTER_DIR/state/astraea_fault"
scontrol release "$poor"

refused() { sfair job -nP -j "$poor" -o Refused 2>/dev/null | tr -d ' '; }
is_refused() { [[ $(refused) == [3-9] ]]; }
wait_for 60 is_refused

# Between two tries, the later the longer, all say so.
is_told() {
	local why
	why=$(sfair why "$poor" | tr '\n' ' ')
	[[ $why == *"Slurm refuses the start: Resources."* &&
		$why == *"no lease ends and no GPU is held for it"* &&
		$why != *promised* && $why != *"expected to start"* &&
		$(job_reason "$poor") == Resources ]] &&
		sfair diag | grep -E '^\s*Jobs refused +1$' >/dev/null &&
		sfair metrics | grep '^astraea_pool_jobs_refused{.*} 1$' >/dev/null
}
wait_for 120 is_told

# The other node is idle. At the time of a refusal the job counts as blocked.
at_once() { grep -c 'astraea: start .* at its submission' "$CLUSTER_DIR/log/slurmctld.log"; }
arrives() {
	local before after
	before=$(at_once) || :
	is_told && srun -A rich -w n2 --gres=gpu:1 --quiet true && is_told || return
	after=$(at_once) || :
	((after > before))
}
wait_for 60 arrives

# By slurmctld's log: of the three terms after the third refusal it has a try in
# one. Prints how many tries there were in them, and how many leases ended: for it, and
# for who left for it. Fails while they are not over.
ended() {
	local log=$CLUSTER_DIR/log/slurmctld.log from to
	from=$(grep "astraea: JobId=$poor is not started" "$log" | sed -n '3s/^.\([^]]*\).*/\1/p')
	to=$(date -d "$from 36 seconds" +%Y-%m-%dT%H:%M:%S)
	[[ $(date +%Y-%m-%dT%H:%M:%S) > $to ]] || return 1
	awk -v from="[$from]" -v to="[$to]" -v refused="JobId=$poor is not started" '
		!($1 > from && $1 < to) { next }
		index($0, refused) { tries++ }
		/lease over: requeue/ { leases++ }
		END { print tries + 0, leases + 0 }' "$log"
}
wait_for 60 eval 'count=$(ended)'
# shellcheck disable=SC2154
read -r tries leases <<<"$count"
check "$tries tries in three terms" test "$tries" -le 1
check "$leases leases end for $tries tries" test "$leases" -le $((2 * tries))

# Refused since then and not tried, its count begins anew.
wait_for 120 is_told
anew() { [[ $(refused) == [01] ]]; }
scontrol update jobid="$poor" timelimit=300
wait_for 10 anew

# Idle GPUs.
scancel "${rich[0]}"
wait_for 30 job_is "${rich[0]}" CANCELLED
check_eq "$(sfair why "$poor")" PENDING "$(job_state "$poor")"
rm "$CLUSTER_DIR/state/astraea_fault"
wait_for 30 job_is "$poor" RUNNING
ok refused-starts
