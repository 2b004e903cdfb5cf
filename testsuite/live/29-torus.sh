#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# topology/torus3d: a job gets a placement that is idle, as Slurm chooses it, at
# once and without a refused start. No lease ends for a job that has none.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/yaml.sh"

needs_yaml 2605 topology.yaml json "has no topology/torus3d"

files=$(mktemp -d)
cat >"$files/astraea.conf" <<-EOT
	RoundInterval=1
	LeaseTerm=8
	CheckpointGrace=2
	Pool=gpu Partitions=gpu
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
cat >"$files/topology.yaml" <<-EOT
	---
	- topology: tori
	  cluster_default: true
	  torus3d:
	    toruses:
	    - name: t1
	      dims: {x: 4, y: 2, z: 1}
	      nodes: "n[1-8]"
	      placements:
	      - dims: {x: 1, y: 1, z: 1}
	      - dims: {x: 2, y: 1, z: 1}
	      - dims: {x: 2, y: 2, z: 1}
EOT
sed -i 's/^\t//' "$files/topology.yaml"
start_cluster --needs minage=300 --nodes 8 --gpus 4 \
	--astraea "$files/astraea.conf" --file "$files/topology.yaml"
rm -r "$files"

nodes_of() {
	wait_for 40 job_is "$1" RUNNING
	job_field "$1" NodeList
}
job() { submit --gpus-per-node=4 "$@" --wrap 'exec sleep 1000'; }
refusals() {
	sfair diag --json | python3 -c '
import json, sys
print(sum(p["refused"] for p in json.load(sys.stdin)["pools"]))'
}
later() { (($(date +%s) > $1)); }
on_failure() {
	local id
	squeue -o '%i %a %T %N %r'
	for id in $(squeue -h -t PD -o %i); do sfair why "$id"; done
}

# ---- x runs fastest: n1-n4, n5-n8. Placements of two begin at n1, n3, n5, n7.
one=$(job -A a --no-requeue -w n2)
two=$(job -A a -w n3)
three=$(job -A a -w n5)
for id in "$one" "$two" "$three"; do wait_for 30 job_is "$id" RUNNING; done
id=$(job -A b -N2)
check_eq "the idle placement" 'n[7-8]' "$(nodes_of "$id")"
for k in "$two" "$three"; do
	check_eq "restarts" 0 "$(job_field "$k" Restarts)"
done
check_eq "refused starts" 0 "$(refusals)"
ok torus-of-idle-nodes

# ---- Idle are n1, n4 and n6, which are no placement of two.
id=$(job -A b -N2)
wait_for 40 later $(($(date +%s) + 20))
check_eq "a job without a placement" PENDING "$(job_state "$id")"
for k in "$two" "$three"; do
	check_eq "restarts" 0 "$(job_field "$k" Restarts)"
done
ok torus-no-lease-ends-in-vain
scancel "$two"
check_eq "the placement that became idle" 'n[3-4]' "$(nodes_of "$id")"
ok torus-starts-when-a-placement-is-idle
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
