#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs without leases (--no-requeue, srun, salloc) hold no more GPUs than their
# tenant's share, short ones aside; more of them wait and say why. Users cannot
# get rid of leases while they run. Bounds by number, by user and by time.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=60
	Pool=gpu Partitions=gpu CheckpointGrace=3
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
chmod 755 "$CLUSTER_DIR/run"
export OUT=$CLUSTER_DIR/out
over() { says "$1" "Lease: over the $2's GPUs without leases"; }

# ---- Two of four GPUs are the tenant's share.

first=$(sleeper -A a --no-requeue --gpus=2)
runs "$first"
second=$(sleeper -A a --no-requeue --gpus=1)
over "$second" tenant
salloc -Q --no-shell -A a -J inside --gpus=1 &
interactive=$!
allocation() { squeue -h -t PD,R -n inside -o %i; }
has_allocation() { [[ $(allocation) ]]; }
wait_for 20 has_allocation
over "$(allocation)" tenant
sfair why "$second" | xargs -d '\n' >"$OUT/why"
for text in 'of the tenant a may hold at most 2 GPUs at a time (NoLeaseGPUs); 2 GPUs are in use' \
	"scontrol update JobId=$second Requeue=1 gives it leases"; do
	check "sfair why: $(<"$OUT/why")" grep -qF "$text" "$OUT/why"
done
ok no-lease-beyond-the-share-waits
short=$(sleeper -A a --no-requeue --gpus=1 -t 1)
runs "$short"
ok no-lease-as-short-as-a-lease-is-free
other=$(sleeper -A b --gpus=1)
runs "$other"
scancel "$short" "$other"
scontrol update JobId="$second" Requeue=1
runs "$second"
ok requeue-1-lets-it-start
scancel "$first"
wait_for 60 job_is "$(allocation)" RUNNING
ok no-lease-starts-when-others-end
scancel "$(allocation)"
wait "$interactive" || true
cancel_all

# ---- A lease cannot be got rid of while the job runs.

id=$(as_other sbatch --parsable -A a --gpus=2 -o /dev/null --wrap 'sleep 300')
runs "$id"
refused denied as_other scontrol update JobId="$id" Requeue=0
check_eq "Requeue of a job that runs" 1 "$(job_field "$id" Requeue)"
ok requeue-0-is-refused-while-it-runs
scontrol update JobId="$id" Requeue=0
check_eq "Requeue after an operator's update" 0 "$(job_field "$id" Requeue)"
ok requeue-0-by-an-operator
cancel_all

# ---- By number, user and time.

set_conf NoLeaseGPUs 1
accepted() {
	submit -H -A a --no-requeue --gpus="$1" --wrap true >/dev/null 2>&1
}
is_refused() { ! accepted 2; }
wait_for 20 is_refused
refused 'at most 1 may be held so' submit -A a --no-requeue --gpus=2 --wrap true
id=$(sleeper -A a --no-requeue --gpus=2 -t 1)
runs "$id"
cancel_all
ok no-lease-that-can-never-run-is-refused
set_conf NoLeaseGPUs none
set_conf NoLeaseUserGPUs 3
wait_for 20 accepted 3
first=$(sleeper -A a --no-requeue --gpus=3)
runs "$first"
second=$(sleeper -A b --no-requeue --gpus=1)
over "$second" user
cancel_all
ok no-lease-by-user
set_conf NoLeaseUserGPUs none
set_conf NoLeaseTime 5:00
shortens() {
	id=$(sleeper -H -A a --no-requeue --gpus=1 -t 60 2>"$OUT/said")
	[[ $(job_field "$id" TimeLimit) == 00:05:00 ]]
}
wait_for 20 shortens
check_eq "shortened" 00:05:00 "$(job_field "$id" TimeLimit)"
check "sbatch said: $(<"$OUT/said")" grep -q NoLeaseTime "$OUT/said"
id=$(sleeper -A a --gpus=1 -t 60)
check_eq "with leases" 01:00:00 "$(job_field "$id" TimeLimit)"
ok no-lease-time-limit-is-shortened
cancel_all

# ---- Where slurm.conf makes all jobs such ones, only what is set binds them.

set_conf NoLeaseTime none
sed -i 's/ NoLeaseGPUs=none//' "$CLUSTER_DIR/etc/astraea.conf"
echo JobRequeue=0 >>"$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
warned() { sfair diag 2>/dev/null | grep >/dev/null 'JobRequeue=0 in slurm.conf'; }
wait_for 20 warned
id=$(sleeper -A a --gpus=4)
runs "$id"
ok no-lease-of-all-jobs-is-not-bounded
check_eq "errors of ours in the log" '' "$(errors_of_ours | grep -v JobRequeue=0 || true)"
