#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hard caps of GPU hours: a tenant of 18 GPU seconds a month has two leases of 8 s,
# waits with the reason, holds nobody up, and its next lease comes when the cap is
# raised; what it used survives restarts, and a cap of 0 lets nobody start.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu ReasonDetail=yes RoundInterval=1 LeaseTerm=8 CheckpointGrace=2 MaxGPUHours=0.005
	Tenant=red Accounts=red
	Tenant=blue Accounts=blue
EOT
start_cluster --nodes 2 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES DefaultTime=10:00 MaxTime=INFINITE State=UP'
rm -f "$conf"
conf=$CLUSTER_DIR/etc/astraea.conf

runs() { wait_for 30 job_is "$1" RUNNING; }
sleeper() { submit "$@" --wrap 'exec sleep 600'; }
says() { [[ $(job_reason "$1") == "$2" ]]; }
restarts() { job_field "$1" Restarts; }
# use KEY=VALUE...: in place of the caps that there are.
use() {
	sed -i "s/ MaxGPUHours.*//; 1s/\$/ $*/" "$conf"
	scontrol reconfigure
}
used() { sfair tenant -nP -A red -o Used -t seconds; }

# ---- Two leases of one GPU are 16 s, a third would be 24 s.

job=$(sleeper -A red --gres=gpu:1)
runs "$job"
capped="Lease: tenant's cap of 0.005 GPU hours"
wait_for 60 says "$job" "$capped"
check_eq "state of a job over its tenant's cap" PENDING "$(job_state "$job")"
check_eq "its restarts" 1 "$(restarts "$job")"
leases=$(sfair job -nP -j "$job" -o Leases)
check_eq "its leases" 2 "$leases"
spent=$(used)
awk -v s="$spent" 'BEGIN { exit !(s >= 15 && s <= 18) }' ||
	fail "it used $spent GPU seconds"
ok lease-is-not-renewed-over-the-cap
check_eq "sfair tenant" "18.0" "$(sfair tenant -nP -A red -o Cap -t seconds)"
sfair tenant --json | python3 -c 'import json, sys
t = {t["name"]: t for t in json.load(sys.stdin)["tenants"]}
assert abs(t["red"]["cap_gpu_sec"] - 18) < 1e-6, t
assert 15 <= t["red"]["used_gpu_sec"] <= 18, t'
ok sfair-tenant-tells-cap-and-use
next=$(date -d "$(date +%Y-%m-01) +1 month" +%FT%T)
# sfair knows a moment later than squeue that its nodes are cleaned up.
tells_cap() {
	local why
	why=$(sfair why "$job" | tr -s ' \n' ' ')
	[[ $why == *"Tenant red may have at most 0.005 GPU hours until $next (MaxGPUHours"* &&
		$why == *"its lease takes 0.002222"* &&
		$why == *"next CapPeriod, which begins in"* ]]
}
wait_for 20 tells_cap
sfair why --json "$job" | python3 -c 'import json, sys
b = json.load(sys.stdin)["why"]["binds"][0]
assert b["kind"] == "cap" and b["cap_user"] is False, b
assert abs(b["cap_hours"] - 0.005) < 1e-9 and b["retry_sec"] > 0, b' ||
	fail "sfair why --json: $(sfair why --json "$job")"
ok sfair-why-tells-which-cap-and-until-when
when=$(sfair when "$job" 2>&1) || true
[[ $when != *"expected to start at $(date +%F)"* ]] ||
	fail "sfair when of a job that waits for next month: $when"
ok sfair-when-is-no-sooner

# ---- It holds nobody up, not even with a gang.

gang=$(sleeper -A red --gres=gpu:2 -N 2)
others=()
for _ in 1 2 3 4; do others+=("$(sleeper -A blue --gres=gpu:1 -t 1)"); done
for id in "${others[@]:0:2}"; do runs "$id"; done
wait_for 20 says "$gang" "$capped"
scancel "${others[@]}" "$gang"
ok a-capped-gang-holds-nothing

# ---- After a restart it is as it was.

restart_slurmctld
wait_for 30 says "$job" "$capped"
awk -v a="$spent" -v b="$(used)" 'BEGIN { exit !(a - b < 0.5 && b - a < 0.5) }' ||
	fail "it used $spent GPU seconds, and $(used) after a restart"
ok use-survives-a-restart

# ---- Raised, and lowered while it runs: it goes on to its lease's end.

use MaxGPUHours=1
runs "$job"
use MaxGPUHours=0
check_eq "a job whose cap was lowered" RUNNING "$(job_state "$job")"
wait_for 40 says "$job" "Lease: tenant's cap of 0 GPU hours"
check_eq "its restarts" 2 "$(restarts "$job")"
tells_none() { [[ $(sfair why "$job" | tr -s ' \n' ' ') == *"That is no GPU at all."* ]]; }
wait_for 20 tells_none
ok lowered-cap-ends-no-lease
new=$(sleeper -A blue --gres=gpu:1)
wait_for 20 says "$new" "Lease: tenant's cap of 0 GPU hours"
ok cap-of-0-lets-nobody-start

# ---- One without leases counts to its time limit; not at its arrival either.

use MaxGPUHours=0.5
runs "$new"
srun -A blue --gres=gpu:1 -t 60 true >"$CLUSTER_DIR/out/srun" 2>&1 &
srun=$!
waits() {
	pinned=$(squeue -h -n true -o %i)
	[[ $pinned ]] && says "$pinned" "Lease: tenant's cap of 0.5 GPU hours"
}
wait_for 20 waits
scancel "$pinned"
wait "$srun" || true
check "srun within the cap" srun -A blue --gres=gpu:1 -t 5 true
ok job-without-leases-counts-to-its-time-limit

# ---- By user, within a tenant.

use MaxGPUHoursPerUser=0
wait_for 40 says "$job" "Lease: user's cap of 0 GPU hours"
ok users-cap
scancel "$job" "$new"

# ---- Bad values, before they are used.

good=$(cat "$conf")
for bad in MaxGPUHours=-1 MaxGPUHours=many TenantGPUHours=red CapPeriod=year \
	'MaxGPUHours=1 MaxGPUHoursPerUser=2' 'MaxGPUHours=1 Leases=no'; do
	sed "s/ MaxGPUHours.*//; 1s/\$/ $bad/" <<<"$good" >"$CLUSTER_DIR/etc/bad.conf"
	if said=$(sfair check "$CLUSTER_DIR/etc/bad.conf" 2>&1); then
		fail "sfair check took $bad"
	fi
	[[ $said == *"${bad##* }"* || $said == *MaxGPUHours* ]] ||
		fail "sfair check of $bad: $said"
done
ok bad-caps-are-named
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
