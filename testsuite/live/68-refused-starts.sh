#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job whose start Slurm refuses again and again harms nobody: after three rounds
# no lease ends for it, but once more after a term, and squeue, sfair why, sfair
# diag and the metrics say so. Where GPUs are idle it is tried, and starts once
# Slurm lets it.
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
start_cluster --nodes 1 --gpus 4 --cpus 16 --astraea "$conf"
rm -f "$conf"

for _ in 1 2 3 4; do
	rich+=("$(submit -A rich --gres=gpu:1 --wrap 'sleep 600')")
done
for id in "${rich[@]}"; do wait_for 30 job_is "$id" RUNNING; done
poor=$(submit -A poor --gres=gpu:1 -H --wrap 'sleep 600')
echo "start.select $poor refuse" >"$CLUSTER_DIR/state/astraea_fault"
scontrol release "$poor"

refused() { sfair job -nP -j "$poor" -o Refused 2>/dev/null | tr -d ' '; }
is_refused() { [[ $(refused) == [3-9] ]]; }
wait_for 60 is_refused

# Of the next three terms it has a try in one.
ended() { grep -c "lease over: requeue" "$CLUSTER_DIR/log/slurmctld.log"; }
before=$(ended)
says() { sfair why "$poor" | tr '\n' ' ' | grep -F "$1" >/dev/null; }
wait_for 10 says "Slurm refuses the start: Resources."
says "no lease ends and no GPU is held for it" || fail "$(sfair why "$poor")"
! says "promised" || fail "it is promised a start: $(sfair why "$poor")"
check_eq "its reason" Resources "$(job_reason "$poor")"
diag=$(sfair diag)
grep -E "^\s*Jobs refused +1$" <<<"$diag" >/dev/null || fail "$diag"
sfair metrics | grep '^astraea_pool_jobs_refused{.*} 1$' >/dev/null ||
	fail "$(sfair metrics | grep refused)"
begin=$EPOCHSECONDS
until ((EPOCHSECONDS >= begin + 36)); do sleep 1; done
echo "leases that ended: $before, then $(($(ended) - before)) in three terms"
check "leases end for it: $(($(ended) - before)) in three terms" \
	test $(($(ended) - before)) -le 1

# Idle GPUs.
scancel "${rich[0]}"
wait_for 30 job_is "${rich[0]}" CANCELLED
check_eq "$(sfair why "$poor")" PENDING "$(job_state "$poor")"
rm "$CLUSTER_DIR/state/astraea_fault"
wait_for 30 job_is "$poor" RUNNING
ok refused-starts
