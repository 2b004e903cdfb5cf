#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What users know of Slurm works for leased jobs as ever: arrays and their
# throttle, hold and release, --begin, dependencies, every way to ask for GPUs
# and nodes, scancel; CPU jobs notice nothing.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu,gpu2 RoundInterval=2 LeaseTerm=180 CheckpointGrace=5
EOT
start_cluster --needs weight=no --nodes 3 --gpus 8 --astraea "$conf" \
	--slurm 'PartitionName=gpu2 Nodes=n3 State=UP'
rm -f "$conf"

# gpus ID [NODE]: GPUs that a running job holds, in all or on a node.
gpus() {
	scontrol -d -o show job "$1" | grep -o 'Nodes=[^ ]* CPU_IDs=[^ ]* Mem=[^ ]* GRES=[^ ]*' |
		python3 -c '
import re, subprocess, sys
held = {}
for line in sys.stdin:
    nodes, gres = re.match(r"Nodes=(\S+) .* GRES=(\S*)", line).groups()
    n = sum(int(x) for x in re.findall(r"gpu:\w+:(\d+)", gres))
    for node in subprocess.check_output(["scontrol", "show", "hostnames",
                                         nodes], text=True).split():
        held[node] = held.get(node, 0) + n
print(held.get(sys.argv[1], 0) if len(sys.argv) > 1 else sum(held.values()))
' "${@:2}"
}
started() { job_is "$1" RUNNING || job_is "$1" COMPLETED; }
count() { squeue -h -r -j "$1" -t "$2" -o %i | wc -l; }
has() { (($(count "$1" "$2") == $3)); }
clean() { [[ ! $(squeue -h -o %i) ]]; }
cancel_all() {
	scancel -u root
	wait_for 30 clean
}

# ---- Ways to ask.

ways=(
	"2 --gres=gpu:2"
	"2 --gres=gpu:a100:2"
	"3 --gpus=3"
	"3 --gpus=a100:3"
	"2 --gpus-per-node=2"
	"4 -N2 --gpus-per-node=a100:2"
	"2 -n2 --gpus-per-task=1"
	"1 -N1 --gpus-per-node=1 --cpus-per-gpu=4 --mem-per-gpu=1G"
	"1 --gres=gpu:1 --nodelist=n2"
	"1 --gpus=1 --exclude=n1,n2"
)
ids=()
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086
	ids+=("$(submit ${way#* } --wrap 'sleep 600')")
done
for i in "${!ways[@]}"; do
	wait_for 20 job_is "${ids[i]}" RUNNING
	check_eq "GPUs of ${ways[i]#* }" "${ways[i]%% *}" "$(gpus "${ids[i]}")"
done
check_eq "two nodes" 2 "$(job_field "${ids[5]}" NumNodes)"
check_eq "--nodelist" n2 "$(job_field "${ids[8]}" NodeList)"
check_eq "--exclude" n3 "$(job_field "${ids[9]}" NodeList)"
cancel_all

id=$(submit -N2 --gres=gpu:8 --wrap 'sleep 600')
rest=$(submit -N1 --gpus=8 --exclusive --wrap 'sleep 600')
wait_for 20 job_is "$id" RUNNING
wait_for 20 job_is "$rest" RUNNING
check_eq "GPUs of two whole nodes" 16 "$(gpus "$id")"
check_eq "CPUs of an exclusive job" 32 "$(job_field "$rest" NumCPUs)"

# ---- The cluster is full: CPU jobs start at once, GPU jobs say why they wait.

whole=$(submit -N3 --gres=gpu:8 --wrap 'sleep 600')
waits=$(submit --gpus=2 --wrap 'sleep 600')
cpu=$(submit -p cpu --wrap true)
wait_for 20 job_is "$cpu" COMPLETED
many=$(submit -p cpu --array=1-20 -c 4 --wrap 'sleep 20')
wait_for 20 has "$many" RUNNING 8
says() { [[ $(job_reason "$1") == $2 ]]; }
wait_for 20 says "$whole" "Lease: GPUs are being collected"
wait_for 20 says "$waits" "Lease: waits for its turn"
ranks() { [[ $(reason_long "$waits") == "Lease: waits its turn, rank 2 of 2" ]]; }
wait_for 20 ranks
squeue -h -j "$waits" | grep >/dev/null "(Lease: waits for its turn)" ||
	fail "plain squeue does not say why: $(squeue -h -j "$waits")"
# Backfill forgets all expected starts in each of its passes.
expected() {
	local at
	at=$(squeue --start -h -j "$1" -o %S)
	[[ $at == 2*T* ]] && (($(date -d "$at" +%s) - $(date +%s) <= 181))
}
wait_for 20 expected "$whole"

# ---- Hold, release, begin, dependency: Slurm's own reasons.

held=$(submit -H --gpus=1 --wrap 'sleep 600')
later=$(submit --begin=now+1hour --gpus=1 --wrap 'sleep 600')
after=$(submit -d afterok:"$id" --gpus=1 --wrap 'sleep 600')
sleep 4
check_eq "reason of a held job" JobHeldUser "$(job_reason "$held")"
check_eq "reason of --begin" BeginTime "$(job_reason "$later")"
check_eq "reason of a dependency" Dependency "$(job_reason "$after")"
scontrol uhold "$waits"
wait_for 20 says "$waits" JobHeldUser
scontrol release "$waits"
wait_for 20 says "$waits" "Lease: *"

# A pending job is cancelled; what comes free goes to the next, not to the held.
scancel "$whole"
wait_for 20 job_is "$whole" CANCELLED
scancel "$rest"
wait_for 20 job_is "$waits" RUNNING
sleep 3
for name in held later after; do
	check_eq "$name: state with free GPUs" PENDING "$(job_state "${!name}")"
done
scontrol release "$held"
wait_for 20 job_is "$held" RUNNING
scontrol update jobid="$later" starttime=now
wait_for 20 job_is "$later" RUNNING
scontrol requeue "$held"
restarted() { [[ $(job_field "$1" Restarts) == 1 ]]; }
wait_for 20 restarted "$held"
# Slurm's own delay for a requeue that a user asked for.
wait_for 20 says "$held" BeginTime
cancel_all

# ---- Arrays: the remainder, the throttle, one task.

array=$(submit --array=1-40 --gpus=2 --wrap 'sleep 600')
wait_for 20 has "$array" RUNNING 12
check_eq "tasks that wait" 28 "$(count "$array" PENDING)"
check_eq "GPUs of a task" 2 "$(gpus "${array}_1")"
scancel "${array}_1" "${array}_40"
wait_for 20 has "$array" RUNNING 12
check_eq "tasks after two were cancelled" 26 "$(count "$array" PENDING)"
cancel_all

array=$(submit --array=1-9%3 --gpus=1 --wrap 'sleep 6')
most=0
for ((i = 0; i < 30; i++)); do
	now=$(count "$array" RUNNING)
	((now <= most)) || most=$now
	[[ $(count "$array" all) == 0 ]] && break
	sleep 0.3
done
check_eq "most tasks of %3 at a time" 3 "$most"
for task in {1..9}; do wait_for 60 job_is "${array}_$task" COMPLETED; done

# ---- Partitions of one pool; GPUs are no reason to leave the CPU partition.

id=$(submit -p gpu,gpu2 --gpus=1 --wrap 'sleep 600')
wait_for 20 job_is "$id" RUNNING
cpus=$(submit -p gpu,cpu --wrap 'sleep 1')
wait_for 20 started "$cpus"
if submit -p gpu,cpu --gpus=1 --wrap true 2>/dev/null; then
	fail "GPUs in -p gpu,cpu were accepted"
fi
scancel "$id"
wait_for 20 job_is "$id" CANCELLED

check_eq "errors of ours in the log" '' "$(errors_of_ours)"
