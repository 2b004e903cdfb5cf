#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Topologies of topology.yaml: racks are those of a job's partition, be they
# leaf switches or blocks.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/yaml.sh"

needs_yaml 2511 topology.yaml json "does not tell a node's place in each topology"

files=$(mktemp -d)
cat >"$files/astraea.conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis RoundInterval=1 LeaseTerm=600
	Pool=tree Partitions=tree Policy=themis RoundInterval=1 LeaseTerm=600
	Pool=blocks Partitions=blocks RoundInterval=1 LeaseTerm=600
EOT
cat >"$files/topology.yaml" <<-EOT
	---
	- topology: plain
	  cluster_default: true
	  flat: true
	- topology: switches
	  cluster_default: false
	  tree:
	    switches:
	    - {switch: top, children: "s[1-2]"}
	    - {switch: s1, nodes: "n[3,5]"}
	    - {switch: s2, nodes: "n[4,6]"}
	- topology: blocks
	  cluster_default: false
	  block:
	    block_sizes: [2]
	    blocks:
	    - {block: b1, nodes: "n[7-8]"}
	    - {block: b2, nodes: "n[9-10]"}
EOT
sed -i 's/^\t//' "$files/topology.yaml"
start_cluster --nodes 10 --gpus 4 --astraea "$files/astraea.conf" \
	--file "$files/topology.yaml" \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES' \
	--slurm 'PartitionName=tree Nodes=n[3-6] Topology=switches' \
	--slurm 'PartitionName=blocks Nodes=n[7-10] Topology=blocks'
rm -r "$files"

# nodes_of ID: of a running job.
nodes_of() {
	wait_for 30 job_is "$1" RUNNING
	job_field "$1" NodeList
}
wide() { submit --gpus-per-node=4 "$@" --wrap 'exec sleep 1000'; }
level_is() { [[ $(sfair job -j "$1" -nP -o Level) == "$2" ]]; }

id=$(wide -N2)
check_eq "two nodes of a flat topology" 'n[1-2]' "$(nodes_of "$id")"
wait_for 20 level_is "$id" rack
ok flat

id=$(wide -p tree -N2 -w n3,n4)
check_eq "two nodes of two switches" 'n[3-4]' "$(nodes_of "$id")"
wait_for 20 level_is "$id" cross
scancel "$id"
wait_for 30 job_is "$id" CANCELLED
one=$(wide -p tree -w n3)
check_eq "n3 is taken" n3 "$(nodes_of "$one")"
id=$(wide -p tree -N2)
check_eq "two nodes where one switch is free" 'n[4,6]' "$(nodes_of "$id")"
wait_for 20 level_is "$id" rack
ok switches

one=$(wide -p blocks -w n7)
check_eq "n7 is taken" n7 "$(nodes_of "$one")"
id=$(wide -p blocks -N2)
check_eq "two nodes of one block" 'n[9-10]' "$(nodes_of "$id")"
ok blocks
