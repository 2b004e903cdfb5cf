#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# topology/ring: a job of several nodes gets neighbours in a ring, and leases end so
# that such a row becomes free. Slurm refuses no start of it.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/meanings.sh
. "$(dirname "$0")/../lib/meanings.sh"
. "$(dirname "$0")/../lib/yaml.sh"

needs_yaml 2605 topology.yaml json "has no topology/ring"

files=$(mktemp -d)
cat >"$files/astraea.conf" <<-EOT
	RoundInterval=1
	LeaseTerm=8
	CheckpointGrace=2
	Pool=gpu Partitions=gpu
	Pool=own Partitions=own
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
cat >"$files/topology.yaml" <<-EOT
	---
	- topology: rings
	  cluster_default: true
	  ring:
	    rings:
	    - {ring: r1, nodes: "n[1,3,5,2]"}
	    - {ring: r2, nodes: "n[4,6]"}
	- topology: others
	  cluster_default: false
	  ring:
	    rings:
	    - {ring: o1, nodes: "n[7,9,8]"}
	    - {ring: o2, nodes: "n[10-12]"}
EOT
sed -i 's/^\t//' "$files/topology.yaml"
start_cluster --needs minage=300 --nodes 12 --gpus 4 \
	--astraea "$files/astraea.conf" --file "$files/topology.yaml" \
	--slurm 'PartitionName=gpu Nodes=n[1-6] Default=YES' \
	--slurm 'PartitionName=own Nodes=n[7-12] Topology=others'
rm -r "$files"

nodes_of() {
	wait_for 30 job_is "$1" RUNNING
	job_field "$1" NodeList
}
job() { submit --gpus-per-node=4 "$@" --wrap 'exec sleep 1000'; }
refusals() {
	sfair diag --json | python3 -c '
import json, sys
print(sum(p["refused"] for p in json.load(sys.stdin)["pools"]))'
}
on_failure() {
	local id
	squeue -o '%i %a %P %T %N %r'
	for id in $(squeue -h -t PD -o %i); do sfair why "$id"; done
}

# ---- Of idle nodes. The ring goes n1, n3, n5, n2, and on with n1.
for n in n3 n4 n5; do
	held=$(job -A a --no-requeue -w $n)
	wait_for 30 job_is "$held" RUNNING
done
id=$(job -A b -N2)
check_eq "neighbours around the ring's end" 'n[1-2]' "$(nodes_of "$id")"
check_eq "refused starts" 0 "$(refusals)"
cancel_all
ok ring-of-idle-nodes

# ---- Idle are n1 and n5, which are no neighbours, and n6 alone in its ring.
one=$(job -A a -w n3)
two=$(job -A a -w n2)
held=$(job -A a --no-requeue -w n4)
for id in "$one" "$two" "$held"; do wait_for 30 job_is "$id" RUNNING; done
id=$(job -A b -N2)
nodes=$(nodes_of "$id")
check "neighbours by the end of a lease: $nodes" eval \
	'[[ $nodes == @(n\[1-2\]|n\[1,3\]|n\[3,5\]|n\[2,5\]) ]]'
restarts=$(($(job_field "$one" Restarts) + $(job_field "$two" Restarts)))
check_eq "leases that ended for it" 1 "$restarts"
check_eq "refused starts" 0 "$(refusals)"
cancel_all
ok ring-by-the-end-of-a-lease

# ---- A partition's own rings, of three nodes each.
one=$(job -A a -p own -w n9)
held=$(job -A a -p own --no-requeue -w n10)
for id in "$one" "$held"; do wait_for 30 job_is "$id" RUNNING; done
id=$(job -A b -p own -N3)
check_eq "a whole ring" 'n[7-9]' "$(nodes_of "$id")"
check_eq "refused starts" 0 "$(refusals)"
ok ring-of-a-partition
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
