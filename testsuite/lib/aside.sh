# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of plugins that were built with other headers than slurmctld's:
# source it after live.sh.
#
#   aside_cluster NAME		start a cluster with jobs of all kinds: leased, without
#				GPUs, waiting for a time, arrays. $leased and $cpu run
#				for longer than all builds of a test take
#   try_layouts			read lines NAME|STRUCTURE|CHANGE[+CHANGE]...|PATTERN,
#				and start slurmctld with each of these layouts. Fail
#				unless the plugin stands aside and the log says so
#				once, as in the pattern; with an empty pattern, fail if
#				the plugin stands aside
#   wrong ARGUMENT...		call wrong-build with NAME
#   begin_with FOLDER		start slurmctld again, with the plugins of that folder
#   said PATTERN		print the log's matching lines since slurmctld was last
#				started
#   says PATTERN		whether there is such a line
#   answers			whether the plugin answers
#   aside			print sfair diag's line "Stands aside"

# shellcheck disable=SC2034,SC2154
aside_cluster() {
	local conf
	[[ ! ${ASTRAEA_CHECKER-} ]] || skip "the builds have no checker"
	conf=$(mktemp)
	echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=2" \
		>"$conf"
	start_cluster --nodes 2 --gpus 4 --astraea "$conf"
	rm -f "$conf"
	log=$CLUSTER_DIR/log/slurmctld.log
	build=${ASTRAEA_BUILDDIR:-$top/build}
	wrong_name=$1
	submit_all_kinds
}

submit_all_kinds() {
	leased=$(submit --gres=gpu:1 --comment=mine --wrap 'sleep 7200')
	cpu=$(submit -p cpu --wrap 'sleep 7200')
	submit -p cpu --uid=man --gid=man --begin=now+1hour --comment=later \
		-J soon --wrap true >/dev/null
	# No request of a user may make the plugin stand aside.
	submit -p cpu -H -t 400000000 --begin=2300-01-01 -J odd --wrap true \
		>/dev/null
	submit -p gpu -H --gpus=2000000000 -N1 \
		--comment="$(printf 'x%.0s' {1..5000})" --wrap true \
		>/dev/null 2>&1 || :
	submit -H --array=1-9%2 --gpus=1 --wrap true >/dev/null
	wait_for 20 job_is "$leased" RUNNING
	wait_for 20 job_is "$cpu" RUNNING
}

# shellcheck disable=SC2154
wrong() { "$live_lib/wrong-build" "$wrong_name" "$@"; }

begin_with() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
	install "$1"/{libastraea,{sched,burst_buffer,job_submit}_astraea,priority_ltgf}.so \
		"$CLUSTER_DIR/astraea"
	since=$(wc -l <"$log")
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
	check "slurmctld is killed" says "slurmctld version"
}

said() { tail -n "+$((since + 1))" "$log" | grep -E -- "$1"; }
says() { said "$1" >/dev/null; }
answers() { sfair diag >/dev/null 2>&1; }
aside() { sfair diag | sed -n 's/^\tStands aside  *//p'; }

# judge NAME PATTERN: check the log of the layout that slurmctld has started with.
judge() {
	local name=$1 want=$2
	wait_for 20 says 'astraea: (stands aside|slurmctld.s structures are as)'
	if [[ ! $want ]]; then
		says 'structures are as expected' ||
			fail "$name: stood aside: $(said 'stands aside')"
		return
	fi
	said 'stands aside' | grep >/dev/null -E "$want" ||
		fail "$name: $(said 'astraea: (stands aside|slurmctld.s)')"
	check_eq "$name: times it is said" 1 "$(said 'stands aside' | wc -l)"
	check "$name: jobs were started" test ! "$(said 'astraea: start')"
	check_eq "$name: leased before" RUNNING "$(job_state "$leased")"
	check_eq "$name: without GPUs" RUNNING "$(job_state "$cpu")"
	echo "$name: $(said 'stands aside' | grep -oE "$want")"
}

try_layouts() {
	local name structure changes want change arguments
	while IFS='|' read -r name structure changes want; do
		arguments=()
		while IFS= read -r change; do
			arguments+=("$structure" "$change")
		done <<<"${changes//+/$'\n'}"
		begin_with "$(wrong "${arguments[@]}")"
		judge "$name" "$want"
	done
}
