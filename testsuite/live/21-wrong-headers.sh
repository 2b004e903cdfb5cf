#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plugins that were built with other headers than slurmctld's stand aside before
# they touch anything: the log and sfair diag say so, and jobs start, run and end
# as with stock Slurm. One layout a line below; then slurmctld starts with it
# beside jobs of all kinds. The same where the files are of two builds.
. "$(dirname "$0")/../lib/live.sh"
[[ ! ${ASTRAEA_CHECKER-} ]] || skip "the builds have no checker"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=2
EOT
start_cluster --nodes 2 --gpus 4 --astraea "$conf"
rm -f "$conf"
log=$CLUSTER_DIR/log/slurmctld.log

# Since slurmctld was last started.
said() { tail -n "+$((since + 1))" "$log" | grep -E -- "$1"; }
says() { said "$1" >/dev/null; }
begin_with() { # FOLDER
	"$top/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmctld
	install "$1"/{libastraea,{sched,burst_buffer,job_submit}_astraea,priority_ltgf}.so \
		"$CLUSTER_DIR/astraea"
	since=$(wc -l <"$log")
	"$top/testsuite/lib/cluster" start "$CLUSTER_DIR" slurmctld
	check "slurmctld is killed" says "slurmctld version"
}
build=${ASTRAEA_BUILDDIR:-$top/build}
answers() { sfair diag >/dev/null 2>&1; }
aside() { sfair diag | sed -n 's/^\tStands aside  *//p'; }

# ---- Jobs of all kinds: leased, without GPUs, waiting for a time, arrays. The two
# that run do so for longer than all builds below take on a busy machine.

leased=$(submit --gres=gpu:1 --comment=mine --wrap 'sleep 7200')
cpu=$(submit -p cpu --wrap 'sleep 7200')
submit -p cpu --uid=man --gid=man --begin=now+1hour --comment=later -J soon \
	--wrap true >/dev/null
# Whatever a user asks for is no reason to stand aside.
submit -p cpu -H -t 400000000 --begin=2300-01-01 -J odd --wrap true >/dev/null
submit -p gpu -H --gpus=2000000000 -N1 --comment="$(printf 'x%.0s' {1..5000})" \
	--wrap true >/dev/null 2>&1 || :
submit -H --array=1-9%2 --gpus=1 --wrap true >/dev/null
wait_for 20 job_is "$leased" RUNNING
wait_for 20 job_is "$cpu" RUNNING

# ---- Layout by layout.

# judge NAME: what this one was found out by, or nothing.
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

while IFS='|' read -r name structure changes want; do
	arguments=()
	while IFS= read -r change; do
		arguments+=("$structure" "$change")
	done <<<"${changes//+/$'\n'}"
	begin_with "$("$top/testsuite/lib/wrong-build" "${arguments[@]}")"
	judge "$name" "$want"
done <<'EOT'
job, grown in its middle|job_record|before:name:uint64_t wrong;|a job_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
job, grown at its end|job_record|end:uint64_t wrong;|a job_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
details, grown|job_details|before:min_nodes:uint64_t wrong;|details of a job_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
node, grown|node_record|before:name:uint64_t wrong;|a node_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
partition, grown|part_record|end:uint64_t wrong;|a part_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
GPUs of a node, grown|gres_node_state_t|before:gres_cnt_alloc:uint64_t wrong;|a gres_node_state_t has [0-9]+ bytes in slurmctld and [0-9]+ here
job, numbers swapped|job_record|swap:user_id:group_id|(user|group)_id (and [a-z_]* )?of a job_record_t (is|are) not what slurmctld says
job, texts swapped|job_record|swap:comment:name|(comment|name) (and [a-z_]* )?of a job_record_t (is|are) not what slurmctld says
job, numbers and padding|job_record|before:batch_flag:uint16_t wrong1;+before:group_id:uint32_t wrong2;|(batch_flag|group_id) (and [a-z_]* )?of a job_record_t (is|are) not what slurmctld says
details, times swapped|job_details|swap:begin_time:submit_time|(begin|submit)_time (and [a-z_]* )?of a job_details_t (is|are) not what slurmctld says
node, numbers swapped|node_record|swap:cpu_bind:owner|(cpu_bind|owner) (and [a-z_]* )?of a node_record_t (is|are) not what slurmctld says
partition, numbers swapped|part_record|swap:max_time:grace_time|(max|grace)_time (and [a-z_]* )?of a part_record_t (is|are) not what slurmctld says
job, padding filled and nothing moved|job_record|before:batch_host:uint16_t wrong;|
EOT
wait_for 20 says "structures are as expected"
ok wrong-headers-stand-aside

# ---- All of the plugin so: Slurm goes on as stock.

begin_with "$("$top/testsuite/lib/wrong-build" --all \
	job_record 'before:account:uint64_t wrong;' \
	job_details 'before:min_nodes:uint64_t wrong;' \
	node_record 'before:name:uint64_t wrong;' \
	part_record 'before:name:uint64_t wrong;')"
wait_for 20 says 'astraea: stands aside'
check "sfair diag says what is wrong" grep -qE 'has [0-9]+ bytes' <(aside)
check "sfair tenant says it, too" \
	grep -q 'warning: the plugin stands aside.* bytes' <(sfair tenant 2>&1)
check "so does sfair why" grep -q 'the plugin stands aside.* bytes' \
	<(sfair why "$leased" | tr '\n' ' ')
check_eq "sfair metrics" 1 "$(sfair metrics |
	sed -n 's/^astraea_fault.*kind="aside".* //p')"
one=$(submit --gres=gpu:4 --wrap 'sleep 2')
two=$(submit --gres=gpu:3 --wrap 'exit 85')
more=$(submit --array=1-4 -p cpu --wrap true)
wait_for 20 job_is "$one" RUNNING
wait_for 20 job_is "$two" FAILED # without leases 85 is a failure
wait_for 20 job_is "$one" COMPLETED
wait_for 20 job_is "$more" COMPLETED
check "srun has a GPU" grep -qx '[0-3]' <(srun --gres=gpu:1 -n1 \
	sh -c 'echo "$CUDA_VISIBLE_DEVICES"')
last=$(submit --gres=gpu:1 --wrap 'sleep 60')
wait_for 20 job_is "$last" RUNNING
scontrol update jobid="$last" comment=other
scontrol requeue "$last"
held=$(submit -H --gpus=1 --wrap true)
scontrol release "$held"
wait_for 20 job_is "$held" COMPLETED
sprio >/dev/null
scontrol reconfigure
check_eq "leased before" RUNNING "$(job_state "$leased")"
check_eq "restarts of what was leased" 0 "$(job_field "$leased" Restarts)"
check_eq "errors of ours" 0 "$(said 'error: astraea' |
	grep -vc 'stands aside' || true)"
scancel "$last" "$cpu"
wait_for 20 job_is "$cpu" CANCELLED
ok stands-aside-as-stock

# ---- The demo says so, and that a Slurm cannot have several nodes here.

refuses() { # WORDS COMMAND...
	local words=$1 out
	shift
	! out=$(timeout 120 "$@" </dev/null 2>&1) || fail "the demo went on: $out"
	check "the demo: $out" grep -qE "$words" <<<"$out"
	check "the demo proved something" test "${out/PROVED/}" = "$out"
}
refuses 'error: the plugin stands aside.* has [0-9]+ bytes' \
	env ASTRAEA_BUILDDIR="$build-wrong" "$top/contrib/demo.sh" --plain
(
	scontrol() { command scontrol "$@" | grep -v MULTIPLE_SLURMD; }
	export -f scontrol
	refuses 'error: this Slurm was built without --enable-multiple-slurmd' \
		"$top/contrib/demo.sh" --plain
)
ok the-demo-says-what-is-wrong

# ---- Variables: nothing of the configuration can be read, only the log tells.

begin_with "$("$top/testsuite/lib/wrong-build" \
	slurm_conf_t 'before:cluster_name:uint64_t wrong;')"
check "slurm_conf: $(said 'stands aside')" says \
	'stands aside.* slurm_conf has [0-9]+ bytes in slurmctld and [0-9]+ here'
id=$(submit --gres=gpu:1 --wrap true)
wait_for 20 job_is "$id" COMPLETED

# ---- Half an upgrade: files of two builds, and one from before builds were told.

other=$CLUSTER_DIR/other
half() { # FILE SED WORDS
	local id
	rm -rf "$other"
	mkdir "$other"
	cp "$build"/*.so "$other"
	LC_ALL=C sed -i "$2" "$other/$1"
	begin_with "$other"
	check "$1 of another build: $(said astraea:)" says "stands aside.* $3"
	wait_for 20 answers
	check "sfair diag: $(aside)" grep -qx "$3" <(aside)
	id=$(submit --gres=gpu:1 --wrap true)
	wait_for 20 job_is "$id" COMPLETED
	check_eq "leased before" RUNNING "$(job_state "$leased")"
}
another='s/astraea-build:[0-9a-f]*/astraea-build:0123456789abcdef/'
before='s/astra_plugin_stamp/astra_plugin_stomp/'
of='is of another build than libastraea.so'
half sched_astraea.so "$another" "sched_astraea.so $of"
half burst_buffer_astraea.so "$before" "burst_buffer_astraea.so $of"
half libastraea.so "$another" "[a-z_]*.so $of"
ok half-an-upgrade-stands-aside

# ---- And back: the lease goes on where it was.

begin_with "$build"
wait_for 20 says "structures are as expected"
wait_for 20 answers
check_eq "sfair diag of the right build" "" "$(aside)"
id=$(submit --gres=gpu:1 --wrap true)
wait_for 20 job_is "$id" COMPLETED
check_eq "started by whom" 1 "$(said "astraea: start JobId=$id " | wc -l)"
check_eq "leased before all of it" RUNNING "$(job_state "$leased")"
rm -rf "$build-wrong"
