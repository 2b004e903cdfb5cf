#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Under each policy that plans GPUs: no GPU is idle beside a job that waits and
# could run there, although jobs take all CPUs of a node with one GPU, want a
# type of GPU, a feature, two nodes, or are held, and a node is reserved.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=ltgf RoundInterval=1 LeaseTerm=600 SlotLength=600 PlanHorizon=6000
EOT
start_cluster --nodes 4 --gpus 4 --cpus 4 --astraea "$conf" \
	--node 'n1 Gres=gpu:a100:4 Feature=fast' \
	--node 'n2 Gres=gpu:v100:4 Feature=slow' \
	--node 'n3 Gres=gpu:v100:4 Feature=fast'
rm -f "$conf"
scontrol create reservation ReservationName=kept Nodes=n4 Users=games \
	StartTime=now Duration=60 >/dev/null

# job TYPE FEATURE GPUS CPUS NODES [SBATCH_ARGUMENT...]: its name says what it
# needs on each of so many nodes; - is any.
job() {
	local what="$1,$2,$3,$4,$5" gres=gpu:$3 feature=()
	[[ $1 == - ]] || gres=gpu:$1:$3
	[[ $2 == - ]] || feature=(-C "$2")
	submit -J "$what" --gres="$gres" -c "$4" -N "$5" --ntasks-per-node=1 \
		"${feature[@]}" "${@:6}" --wrap 'sleep 900'
}

# What waits, by state of its hold, and what is idle: a line for each job that
# could run on idle GPUs.
could_run() {
	{
		squeue -h -t PD -o 'job %i %j %r'
		scontrol -d -o show node | sed 's/^/node /'
	} | python3 -c '
import re, sys
jobs, nodes = [], []
for line in sys.stdin:
    if line.startswith("job "):
        jobs.append(line.split()[1:])
        continue
    def field(name):
        found = re.search(r"\b%s=(\S*)" % name, line)
        return found.group(1) if found else ""
    if field("NodeName") in ("n4", "c1") or "COMPLETING" in field("State"):
        continue
    used = re.search(r"gpu(?::\w+)?:(\d+)\(", field("GresUsed"))
    nodes.append({
        "features": field("ActiveFeatures").split(","),
        "gpu": field("Gres"),
        "gpus": 4 - int(used.group(1)),
        "cpus": 4 - int(field("CPUAlloc")),
    })
for job, what, reason in (j[:3] for j in jobs):
    kind, feature, gpus, cpus, count = what.split(",")
    if reason.startswith("JobHeld"):
        continue
    room = [n for n in nodes if n["gpus"] >= int(gpus)
            and n["cpus"] >= int(cpus) and (kind == "-" or kind in n["gpu"])
            and (feature == "-" or feature in n["features"])]
    if len(room) >= int(count):
        print(job, what)'
}
nothing_idles() { [[ ! $(could_run) ]]; }
looked_at() { ! squeue -h -t PD -o %r | grep >/dev/null -E '^(None|Priority)$'; }
is_gone() { ! squeue -h -o %i | grep >/dev/null -x "$1"; }
are_gone() {
	local id
	for id in $1; do is_gone "$id" || return; done
}
all_gone() { [[ ! $(squeue -h) ]]; }

for policy in themis incentive oasis ogasched; do
	set_conf Policy "$policy"
	held=$(job - - 1 1 1 -H)
	for _ in 1 2; do
		job - - 1 4 1    # all CPUs of a node
		job a100 - 2 1 1 # a type
		job v100 - 2 1 1
		job - fast 1 1 1 # a feature
		job - slow 3 1 1
		job - - 2 2 2 # two nodes
		job - - 1 1 1
	done >/dev/null
	wait_for 30 looked_at
	wait_for 30 nothing_idles
	for turn in 1 2 3; do
		first=$(squeue -h -t R -S i -o %i | sed -n "${turn}p")
		scancel "$first"
		wait_for 30 is_gone "$first"
		wait_for 30 nothing_idles
	done
	# All who wait now lack room; without the others each one starts.
	running=$(squeue -h -t R -o %i)
	scancel -t R
	wait_for 30 are_gone "$running"
	wait_for 30 nothing_idles
	job_is "$held" PENDING || fail "$policy: a held job runs"
	check_eq "$policy: jobs on the reserved node" '' \
		"$(squeue -h -t R -w n4 -o %i)"
	! ctld_log "policy $policy: award" ||
		fail "$policy awarded what could not be"
	scancel -u root
	wait_for 60 all_gone
	ok "no-idle-gpu-under-$policy"
done
