#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfairsim replay: what a trace of 30 jobs did on a live cluster, and what the
# simulator says of it. And it leaves nothing behind: not when it is interrupted,
# nor when a job is refused, or when there is no sbatch or no slurmctld.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
. "$live_lib/replay.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=5
EOT
start_cluster --nodes 2 --gpus 8 --accounting --astraea "$conf"
rm -f "$conf"
cd "$CLUSTER_DIR/out" || exit
tenants one=1 two=2 three=3

# Ten minutes are a second.
awk 'BEGIN {
	split("1 1 2 1 4 1 2 8 1", gpus)
	split("one two three", tenants)
	print "job_id,tenant,submit_s,duration_s,gpus"
	for (i = 0; i < 30; i++)
		printf "j%d,%s,%d,%d,%d\n", i, tenants[i % 3 + 1], i * 150,
			(2 + i * 7 % 9) * 480 + 300, gpus[i % 9 + 1]
}' >trace.csv
sfairsim replay --trace trace.csv --scale 600 --json result.json
close_enough result.json 0.15 0.05
nothing_left

# ---- What goes wrong is named.
expect_error() { # MESSAGE COMMAND...
	local message=$1
	shift
	if "$@" >stdout 2>stderr; then fail "it succeeded: $*"; fi
	cat stderr
	grep -qE "^sfairsim: error: .*$message" stderr || fail "not '$message'"
	check "nothing is printed" test ! -s stdout
	nothing_left
}
{
	echo "job_id,tenant,submit_s,duration_s,gpus"
	echo "good,one,0,600000,1"
	echo "bad,games,0,600000,1"
} >refused.csv
replay=(sfairsim replay --scale 600 --json other.json --trace)
expect_error "job bad \(line 3 of refused.csv\): sbatch failed: .*account" \
	"${replay[@]}" refused.csv
mkdir bin
for command in sfair sfairsim scontrol sinfo squeue scancel; do
	ln -s "$(type -P $command)" bin/
done
expect_error "sbatch failed: .*No such file" \
	env PATH="$PWD/bin" "${replay[@]}" refused.csv
expect_error "nowhere.csv: No such file" "${replay[@]}" nowhere.csv
expect_error "no-such-folder" "${replay[@]}" trace.csv --folder no-such-folder

# ---- Interrupted, it takes its jobs along.
sed -i '/bad/s/games/two/' refused.csv
"${replay[@]}" refused.csv 2>stderr &
pid=$!
both_run() { (($(squeue -h -t RUNNING | wc -l) == 2)); }
wait_for 20 both_run
kill -TERM $pid
if wait $pid; then fail "it succeeded though it was interrupted"; fi
check "it says so: $(cat stderr)" grep -q "error: interrupted" stderr
nothing_left
check "no result of it is there" test ! -e other.json

"$top/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmctld
sed -i 's/^MessageTimeout=.*/MessageTimeout=2/' "$CLUSTER_DIR/etc/slurm.conf"
if "${replay[@]}" trace.csv 2>stderr; then fail "without slurmctld"; fi
cat stderr
check "it says so" grep -q "^sfairsim: error: scontrol failed: " stderr
check "no folder is left" no_folder
