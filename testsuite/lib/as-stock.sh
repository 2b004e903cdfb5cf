# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests that put requests to a stock cluster and to ours, side by side:
# source it after live.sh.
#
#   as_stock TABLE [--needs DRAWN] [--part 'KEY=VALUE...'] [--where] ARGUMENT...
#				put the requests of TABLE (see as_stock.py) to two
#				clusters with these arguments, of 12 nodes in groups
#				of three. --part: for each of their partitions.
#				--where: jobs must get the same nodes
#   no_start_was_refused	fail if Slurm refused one of our starts

# live.sh sets live_lib and vary.
# shellcheck disable=SC2154
as_stock() {
	local table=$1 groups=4 part='' where='' nodes conf i
	local -a needs=() shape
	shift
	[[ $1 != --needs ]] || { needs=("$1" "$2") && shift 2; }
	[[ $1 != --part ]] || { part=" $2" && shift 2; }
	[[ $1 != --where ]] || { where=where && shift; }
	conf=$(mktemp)
	shape=(--nodes $((3 * groups)) "$@")
	for ((i = 0; i < groups; i++)); do
		nodes="n[$((3 * i + 1))-$((3 * i + 3))]"
		echo "Pool=g$i Partitions=g$i,x$i,u$i RoundInterval=1 LeaseTerm=900" \
			"CheckpointGrace=5" >>"$conf"
		shape+=(--slurm "PartitionName=g$i Nodes=$nodes State=UP$part")
		shape+=(--slurm "PartitionName=x$i Nodes=$nodes State=UP OverSubscribe=EXCLUSIVE$part")
		shape+=(--slurm "PartitionName=u$i Nodes=$nodes State=UP ExclusiveUser=YES$part")
	done
	start_cluster "${needs[@]}" "${shape[@]}" --astraea "$conf"
	rm -f "$conf"
	stock=$CLUSTER_DIR/s
	trap end_stock EXIT
	"$live_lib/cluster" up "$stock" "${shape[@]}" --stock --vary "$vary" >/dev/null
	"$live_lib/as_stock.py" "$stock/env" "$CLUSTER_DIR/env" "$table" "$groups" $where ||
		fail "not as stock Slurm"
	check_eq "errors of ours in the log" '' "$(errors_of_ours)"
}

no_start_was_refused() {
	check_eq "starts that Slurm refused" '' \
		"$(sed -n '/astraea: JobId=.* is not started/p' \
			"$CLUSTER_DIR/log/slurmctld.log" | head -n 5)"
}

end_stock() {
	local status=$?
	((status == 0)) || "$live_lib/cluster" dead "$stock" || :
	"$live_lib/cluster" down "$stock" || status=1
	live_end "$status"
}
