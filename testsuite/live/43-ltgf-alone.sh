#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# priority/ltgf alone, with stock sched/backfill and no other plugin of ours:
# jobs run until they end, in LTGF's order; sprio, sshare, nice, hold and the
# rest work as with multifactor, whose factors can be mixed in; a restart keeps
# the accounts, and a bad astraea.conf leaves multifactor's order.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=1
EOT
start_cluster --accounting --nodes 1 --gpus 2 --astraea "$conf" \
	--slurm SchedulerType=sched/backfill --slurm BurstBufferType= \
	--slurm JobSubmitPlugins= --slurm PriorityWeightQOS=100000 \
	--slurm 'PartitionName=other Nodes=n1 State=UP' \
	--slurm PriorityWeightAge=1000 --slurm PriorityWeightFairshare=5000
rm -f "$conf"
export OUT=$CLUSTER_DIR/out

{
	sacctmgr -i add account big,small
	sacctmgr -i add user root account=big,small
	sacctmgr -i add qos urgent priority=10
	sacctmgr -i modify user root set qos+=urgent
} >"$OUT/sacctmgr"

# job ACCOUNT OPTION...: on both GPUs, until there is a file of its number.
job() {
	submit -A "$1" --gpus=2 "${@:2}" --wrap '
		until [ -e $OUT/go.$SLURM_JOB_ID ]; do sleep 0.2; done'
}
priority() { squeue -h -j "$1" -o %Q; }
first() { squeue -h -t PD -S -Q -o %i | head -n 1; }
first_is() { [[ $(first) == "$1" ]]; }
before() { (($(priority "$1") > $(priority "$2"))); }
# sprio's PRIORITY, the sum of its other columns less NICE, and SITE; nothing
# while Slurm has yet to see that the job may start.
sprio_line() { sprio -h -j "$1" -o '%Y %S %A %B %F %J %P %Q %N' |
	awk '/^ *[0-9]/ { n = 0; for (i = 2; i < NF; i++) n += $i
		print $1, n - $NF, $2 }'; }
site() { sprio_line "$1" | cut -d' ' -f3; }
has_site() { (($(site "$1") + 0 > 0)); }
running() { squeue -h -t R -p gpu -o %i; }

# ---- What slurm.conf lacks is said, with the cost.

lacks() { sfair diag 2>/dev/null | grep >/dev/null "Warning .*lacks $1"; }
wait_for 20 lacks '.*BurstBufferType=burst_buffer/astraea: there are no leases'
check "diag is silent of JobSubmitPlugins" lacks 'JobSubmitPlugins=astraea'
check "the log is silent of them" ctld_log \
	'error: astraea: .*slurm.conf lacks .*BurstBufferType'

# ---- Stock backfill starts whoever LTGF has first.

sshare -h -A big >/dev/null || fail "sshare fails"
hog=$(job big)
wait_for 20 job_is "$hog" RUNNING
big=("$(job big)" "$(job big)" "$(job big)")
small=("$(job small)" "$(job small)")
wait_for 20 first_is "${small[0]}"
wait_for 20 has_site "${big[2]}"
check "of one tenant, the older job is not the first" \
	before "${big[0]}" "${big[1]}"
alike() { # sprio's columns add up, and to squeue's priority
	local p sum site
	read -r p sum site <<<"$(sprio_line "$1")"
	[[ $p && $p == "$sum" && $p == "$(priority "$1")" ]]
}
wait_for 20 alike "${small[0]}"
case $(job_reason "${small[0]}")$(job_reason "${big[1]}") in
*Lease*) fail "there are no leases: $(squeue -h -o '%i %r')" ;;
esac
why() { [[ $(sfair why "$1" | xargs -d '\n') == $2 ]]; }
wait_for 20 why "${small[0]}" \
	"*Slurm starts it by priority; its reason is *. It is number 1 of 5 *"
wait_for 20 why "$hog" "*never taken back (this pool has no leases)*"
check_eq "a lease that there is not" "running|0|N/A|N/A|N/A|N/A" \
	"$(sfair lease -nP -j "$hog" -o Phase,Leases,LeaseStart,LeaseEnd,Left,Term)"
sfair tenant -nP -o Tenant | sort | xargs | grep >/dev/null "big.*small" ||
	fail "sfair tenant: $(sfair tenant)"
sfair tenant >"$OUT/tenant"
check "sfair tenant: $(<"$OUT/tenant")" \
	grep -q 'leases are off: jobs run until they end' "$OUT/tenant"
sfair diag -P | grep '^Pool gpu|Lease' >"$OUT/diag" || fail "sfair diag fails"
check_eq "leases in sfair diag" "Pool gpu|Leases|no" "$(<"$OUT/diag")"

# Four leases long it has run and keeps its GPUs; big has had so much by now that
# both jobs of small go first.
ran() { (($(date +%s) - $(date -d "$(job_field "$hog" StartTime)" +%s) >= 18)); }
wait_for 40 ran
check_eq "restarts" 0 "$(job_field "$hog" Restarts)"
now=$hog
for next in "${small[@]}" "${big[0]}"; do
	touch "$OUT/go.$now"
	wait_for 20 job_is "$next" RUNNING
	now=$next
done

# ---- What users and admins do to priorities.

scancel -u root -t PD
a=$(job big) b=$(job big) c=$(job big)
wait_for 20 has_site "$c"
wait_for 20 before "$a" "$b"
scontrol update jobid="$a" nice=7
nice_counts() { sprio -h -j "$a" -o '%Y %S %A %F %Q %N' |
	awk '$6 == 7 && $1 <= $2 - 7 + $3 + $4 + $5 + 2 { f = 1 } END { exit !f }'; }
wait_for 20 nice_counts
scontrol update jobid="$a" nice=1000000
wait_for 20 before "$b" "$a"
scontrol update jobid="$a" nice=0
wait_for 20 before "$a" "$b"
scontrol hold "$a"
check_eq "priority of a held job" 0 "$(priority "$a")"
check_eq "reason of a held job" JobHeldAdmin "$(job_reason "$a")"
scontrol release "$a"
wait_for 20 has_site "$a"
wait_for 20 before "$a" "$b"
scontrol top "$c"
wait_for 20 before "$c" "$a"
scontrol update jobid="$b" priority=777
sleep 2
check_eq "priority set by hand" 777 "$(priority "$b")"
check "scontrol top lasts a moment only" before "$c" "$a"
scancel "$c"

# A job that goes elsewhere takes nothing along.
wait_for 20 scontrol update jobid="$a" partition=other # see live/51-update
no_site() { [[ $(site "$a") == 0 ]]; }
wait_for 20 no_site
scancel "$a" "$b"

# ---- Other factors, mixed in by weight.

# Whose job runs is less needy than the other.
has=$(squeue -h -t R -p gpu -o %a) lacks=big
[[ $has != big ]] || lacks=small
plain=$(job "$lacks") urgent=$(job "$has" --qos=urgent)
wait_for 20 has_site "$urgent"
wait_for 20 before "$plain" "$urgent"
set_conf PriorityWeightLTGF 1000
wait_for 20 before "$urgent" "$plain"
small_site() { (($(site "$plain") == 1000 && $(site "$urgent") == 500)); }
wait_for 20 small_site
set_conf PriorityWeightLTGF only
wait_for 20 before "$plain" "$urgent"

# ---- A restart keeps the accounts.

used() { sfair tenant -nP -o Tenant,Alloc -t Seconds |
	sed -n 's/^big|//p' | cut -d. -f1; }
had=$(used)
sleep 6 # slurmctld writes its jobs down
restart_slurmctld KILL
has_had() { (($(used || echo 0) >= had)); }
wait_for 40 has_had
wait_for 20 before "$plain" "$urgent"
check_eq "the running job" RUNNING "$(job_state "$(running)")"

# ---- A bad astraea.conf changes nothing, also at a restart; without one the
# order is multifactor's, and nothing of ours stays.

sed -i 's/RoundInterval=1/RoundInterval=often/' "$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
named() { ctld_log 'astraea.conf: line 1: RoundInterval=often'; }
wait_for 20 named
sleep 2
check "the old values do not stay" before "$plain" "$urgent"
restart_slurmctld
sleep 5
wait_for 40 before "$plain" "$urgent"
rm "$CLUSTER_DIR/etc/astraea.conf"
restart_slurmctld
wait_for 40 before "$urgent" "$plain"
check_eq "SITE without a pool" 0 "$(site "$plain")"
touch "$OUT/go.$(running)"
wait_for 30 job_is "$urgent" RUNNING
