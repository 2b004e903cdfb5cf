#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# topology/block: a job's nodes, or those of each --segment, lie in one block,
# as Slurm wants them; so do those whose leases end for it.
. "$(dirname "$0")/../lib/live.sh"

release=$(slurm_release)
((release >= 2405)) ||
	skip "Slurm $(slurm_version) has no --segment (24.05)"

files=$(mktemp -d)
cat >"$files/astraea.conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=1
EOT
cat >"$files/topology.conf" <<-EOT
	BlockName=b1 Nodes=n[1-4]
	BlockName=b2 Nodes=n[5-8]
	BlockSizes=4
EOT
start_cluster --nodes 8 --gpus 4 --slurm TopologyPlugin=topology/block \
	--astraea "$files/astraea.conf" --file "$files/topology.conf"
rm -r "$files"

# nodes_of ID: of a running job.
nodes_of() {
	wait_for 30 job_is "$1" RUNNING
	job_field "$1" NodeList
}
# takes NODE...: what stays, one job a node
declare -A on
takes() {
	local node
	for node in "$@"; do
		on[$node]=$(submit --gres=gpu:4 -w "$node" \
			--wrap 'exec sleep 1000')
		check_eq "$node is taken" "$node" "$(nodes_of "${on[$node]}")"
	done
}
leaves() {
	local node
	for node in "$@"; do
		scancel "${on[$node]}"
		wait_for 30 job_is "${on[$node]}" CANCELLED
	done
}
wide() { submit --gpus-per-node=4 "$@" --wrap 'exec sleep 1000'; }

# ---- One block for a job, however many nodes are free elsewhere.

takes n1 n2 n3 n7 n8
id=$(wide -N2)
check_eq "two nodes of one block" 'n[5-6]' "$(nodes_of "$id")"
ok block

# ---- Segments of two nodes: one a block.

again=$(wide -N4 --segment=2)
waits() { sfair why "$1" | tr '\n' ' ' | grep >/dev/null "waits in pool gpu"; }
wait_for 20 waits "$again"
scancel "$id"
leaves n3
check_eq "segments of two nodes" 'n[3-6]' "$(nodes_of "$again")"
ok segments
scancel "$again"
if ((release >= 2511)); then
	leaves n1 n2
	# Each job looks at another node first.
	for _ in 1 2 3 4; do
		id=$(wide -N4 --segment=2)
		check_eq "two segments of one block" 'n[1-4]' \
			"$(nodes_of "$id")"
		scancel "$id"
		wait_for 30 job_is "$id" CANCELLED
	done
	id=$(wide -N4 --segment=2 --spread-segments)
	[[ $(nodes_of "$id") == *,5-6] ]] ||
		fail "segments are in one block: $(job_field "$id" NodeList)"
	ok spread-segments
	scancel "$id"
	takes n1 n2
fi

# ---- More nodes than any block has: Slurm chooses them.

leaves n1 n2 n7 n8
id=$(wide -N6)
check_eq "nodes of two blocks" 6 "$(nodes_of "$id" >/dev/null
	job_field "$id" NumNodes)"
ok blocks
scancel "$id"

# ---- Leases end where the nodes are one block's.

set_conf LeaseTerm 6
takes n1 n2 n3 n4 n5 n6 n7 n8
id=$(as_other sbatch --parsable -o /dev/null --chdir=/ -N3 \
	--gpus-per-node=4 --wrap 'exec sleep 1000')
case $(nodes_of "$id") in
'n[1-3]' | 'n[2-4]' | 'n[1-2,4]' | 'n[1,3-4]' | \
	'n[5-7]' | 'n[6-8]' | 'n[5-6,8]' | 'n[5,7-8]') ;;
*) fail "nodes of several blocks: $(job_field "$id" NodeList)" ;;
esac
ok leases-end-in-one-block
