#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plugins of which all was built with other headers than slurmctld's stand aside: the
# log and all commands say so, and jobs start, run and end as with stock Slurm. So
# does the demo.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/aside.sh
. "$(dirname "$0")/../lib/aside.sh"
aside_cluster wrong-all

# ---- All of the plugin so: Slurm goes on as stock.

begin_with "$(wrong --all \
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
	env ASTRAEA_BUILDDIR="$build-wrong-all" "$top/contrib/demo.sh" --plain
(
	scontrol() { command scontrol "$@" | grep -v MULTIPLE_SLURMD; }
	export -f scontrol
	refuses 'error: this Slurm was built without --enable-multiple-slurmd' \
		"$top/contrib/demo.sh" --plain
)
ok the-demo-says-what-is-wrong
rm -rf "$build-wrong-all"
