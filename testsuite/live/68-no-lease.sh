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
# sfair knows it a moment later than squeue.
long_is() { [[ $(reason_long "$1" 2>/dev/null) == "$2" ]]; }
over() {
	says "$1" 'Lease: a cap is reached'
	wait_for 20 long_is "$1" "Lease: over the $2's GPUs without leases"
}

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
change() { as_other scontrol update JobId="$@"; }
held() { # SBATCH_ARGUMENT...
	as_other sbatch --parsable -H -A a -o /dev/null "$@" \
		--wrap 'sleep 300' 2>/dev/null
}
limit_is() { check_eq "time limit of $1" "$2" "$(job_field "$1" TimeLimit)"; }
id=$(held --no-requeue --gpus=1 -t 7-0)
limit_is "$id" 00:05:00
for limit in 7-0 UNLIMITED 6; do
	refused denied change "$id" TimeLimit=$limit
	refused denied change "$id" TimeLimit=$limit Requeue=0
done
change "$id" TimeLimit=3
change "$id" TimeLimit=5
refused denied change "$id" TimeLimit=7-0
limit_is "$id" 00:05:00
change "$id" TimeLimit=7-0 Requeue=1 # with leases
refused denied change "$id" Requeue=0
refused denied change "$id" Requeue=0 TimeLimit=60
change "$id" Requeue=0 TimeLimit=4
limit_is "$id" 00:04:00
ok no-lease-time-limit-is-not-lengthened-by-its-user
array=$(held --no-requeue --gpus=1 -t 7-0 --array=1-3)
refused denied change "$array" TimeLimit=7-0
refused denied change "${array}_2" TimeLimit=7-0
away=$(held --no-requeue -p cpu -t 7-0)
limit_is "$away" 7-00:00:00
refused denied change "$away" Partition=gpu TresPerJob="$GPU_TRES":1
idle=$(held --no-requeue -t 7-0) # no GPUs: Slurm's own
limit_is "$idle" 7-00:00:00
refused denied change "$idle" TresPerJob="$GPU_TRES":1
change "$idle" Requeue=0
ok no-lease-by-another-partition-or-more-gpus-is-not-longer
scontrol update JobId="$id" TimeLimit=7-0
change "$id" JobName=longer
change "$id" TimeLimit=6-0
limit_is "$id" 6-00:00:00
refused denied change "$id" TimeLimit=7-0
ok no-lease-time-limit-is-an-operators
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
