#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# squeue and sprio show the engine's order; sshare, unmanaged jobs, holds and
# priorities set by hand stay Slurm's own, also when multifactor recalculates,
# after a restart and after going back.
. "$(dirname "$0")/../lib/live.sh"

start_cluster --accounting --nodes 1 --gpus 2 --slurm PriorityCalcPeriod=1 \
	--slurm PriorityWeightFairshare=100000 --slurm PriorityWeightAge=1000 \
	--slurm PriorityWeightJobSize=5000
set_conf RoundInterval 2

top_priority=2000000000
priority() { squeue -h -j "$1" -o %Q; }
priority_is() { [[ $(priority "$1") == "$2" ]]; }
is_rank() { (($(priority "$1") == top_priority - $2)); }
# sprio's PRIORITY, SITE and the sum of its other columns
sprio_line() { sprio -h -j "$1" -o '%Y %S %A %B %F %J %P %Q %N' |
	awk '{ n = 0; for (i = 3; i <= NF; i++) n += $i; print $1, $2, n }'; }

running=$(submit --gpus=2 --wrap 'sleep 600')
wait_for 20 job_is "$running" RUNNING
jobs=()
for _ in 1 2 3; do jobs+=("$(submit --gpus=2 --wrap 'sleep 600')"); done
cpu=$(submit -p cpu -c 32 --wrap 'sleep 600')
cpu2=$(submit -p cpu -c 32 --wrap 'sleep 600')
held=$(submit --gpus=2 -H --wrap 'sleep 600')
set=$(submit --gpus=2 --priority=777 --wrap 'sleep 600')
blocked=$(submit --gpus=2 --dependency=afterany:"$running" --wrap true)
wait_for 20 job_is "$cpu" RUNNING

ranked() {
	local n
	n=$(squeue -h -t PD -o %Q |
		awk -v t=$top_priority '$1 < t && $1 >= t - 4' | sort -u | wc -l)
	((n == 3))
}
wait_for 20 ranked
check_eq "priority of a held job" 0 "$(priority "$held")"
check_eq "priority set by hand" 777 "$(priority "$set")"
check "a job that waits for another has a rank" \
	test "$(priority "$blocked")" -lt 1000000
check "an unmanaged job is not multifactor's" \
	test "$(priority "$cpu2")" -lt 1000000

# Nothing but SITE, and the same as squeue where no round came between.
alike() {
	local p
	p=$(priority "$1")
	[[ $(sprio_line "$1") == "$p $p 0" ]]
}
for id in "${jobs[@]}"; do wait_for 20 alike "$id"; done
native() { # SITE is 0, and the rest what squeue shows
	local p site rest
	read -r p site rest <<<"$(sprio_line "$1")"
	[[ $site == 0 && $(priority "$1") == "$rest" ]]
}
wait_for 20 native "$cpu2"
sprio -l >"$CLUSTER_DIR/out/sprio" || fail "sprio -l fails"
sshare -a >"$CLUSTER_DIR/out/sshare" || fail "sshare fails"

# Slurm asks for a new priority at each change; a released job gets its rank.
id=${jobs[0]}
before=$(priority "$id")
scontrol update jobid="$id" comment=x
check_eq "priority after a change" "$before" "$(priority "$id")"
scontrol hold "$id"
check_eq "priority of a held job" 0 "$(priority "$id")"
scontrol release "$id"
has_rank() { (($(priority "$id") > 1000000)); }
wait_for 20 has_rank

# multifactor's decay thread recalculates once a minute: ours come back.
end=$((SECONDS + 70)) lost=0
while ((SECONDS < end)); do
	ranked || lost=$((lost + 1))
	sleep 0.5
done
check "ranks were gone for $lost half seconds of 70" test "$lost" -le 20

restart_slurmctld KILL
wait_for 40 ranked

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
sed -i -e 's|^PriorityType=.*|PriorityType=priority/multifactor|' \
	"$CLUSTER_DIR/etc/slurm.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
gone() { ! squeue -h -t PD -o %Q | awk '$1 > 1000000 { f = 1 } END { exit !f }'; }
wait_for 70 gone
