#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair when of GPU jobs that wait for CPUs which a job without GPUs has: it is
# expected to leave when its user's last ones did, late by its time limit, and
# never where nothing is known. What was learned of both kinds of jobs is still
# known after slurmctld was stopped, or killed, and has forgotten those jobs; a
# damaged file costs no more than that.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-END
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 ForecastInterval=2
END
start_cluster --nodes 1 --gpus 4 --cpus 8 --astraea "$conf" \
	--slurm MinJobAge=2 \
	--slurm 'PartitionName=side Nodes=n1 MaxTime=INFINITE State=UP'
rm -f "$conf"
file=$CLUSTER_DIR/state/astraea-runtimes

# field ID NAME: of sfair when, a whole number; 0: not known
field() {
	sfair when "$1" --json 2>/dev/null | python3 -c '
import json, sys
print(int(json.load(sys.stdin).get(sys.argv[1]) or 0))' "$2"
}
looked() { (($(field "$1" forecast_sec) > $2)); }
begun() { date -d "$(job_field "$1" StartTime)" +%s; }
no_jobs() { [[ -z $(squeue -h "$@") ]]; }
hold() { submit -p side -J hold -t 10 "$@" --wrap 'sleep 20'; }
train() { submit -J train -t 10 --gres=gpu:4 "$@" --wrap 'sleep 20'; }

# What there is to learn from, until slurmctld has forgotten it, and saved that.
hold -c 2 >/dev/null
train -c 1 >/dev/null
wait_for 60 no_jobs
wait_for 90 test -s "$file"
wait_for 150 no_jobs -t all
restart_slurmctld TERM
restart_slurmctld KILL

# near ID WHAT: it begins when it was expected to
near() {
	local late
	wait_for 90 job_is "$1" RUNNING
	late=$(($(begun "$1") - told[$1]))
	echo "$2: begins $late s later than expected"
	check "$2" test "${late#-}" -le 8
}
holds=$(hold -c 6)
wait_for 40 job_is "$holds" RUNNING
began=$(begun "$holds") # soon forgotten
first=$(train -c 8)
second=$(train -c 8)
now=$(date +%s)
declare -A told=()
for id in "$first" "$second"; do
	wait_for 20 looked "$id" "$now"
	told[$id]=$(field "$id" expected_start_sec)
done
late=$(field "$first" expected_late_sec)
check "late" test $((late - began)) -ge 600
near "$first" "behind a job that is not managed"
near "$second" "behind a managed one"
scancel "$second"

# Nobody knows when it ends: it stays.
stays=$(as_other \
	sbatch --parsable -o /dev/null --chdir=/ -p side -c 6 --wrap 'sleep 1000')
wait_for 40 job_is "$stays" RUNNING
third=$(train -c 8)
wait_for 20 looked "$third" "$(date +%s)"
check_eq "of a job that stays" 0 "$(field "$third" expected_start_sec)"
scancel "$stays" "$third"

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
python3 - "$file" <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    data = bytearray(f.read())
    data[len(data) // 2] ^= 0x55
    f.seek(0)
    f.write(data)
END
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
is_told() { ctld_log "how long jobs run is learned anew: .*checksum"; }
wait_for 30 is_told
check "what was damaged is not kept" test -s "$file.kept"
