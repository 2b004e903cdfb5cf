#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# History: the GPU time of each account in the file is that of its jobs' starts
# and ends as slurmctld has them, although slurmctld is killed twice meanwhile,
# and an array's user has what the tenant has; where the file cannot be written
# sfair diag says so, and jobs start.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600
EOT
start_cluster --nodes 1 --gpus 8 --slurm MinJobAge=300 --astraea "$conf"
rm -f "$conf"
file=$CLUSTER_DIR/state/astraea-history.sqlite

# of SQL: the first row
of() {
	python3 - "$file" "$1" <<-'EOT'
		import sqlite3, sys
		db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
		row = db.execute(sys.argv[2]).fetchone()
		print(*(("%.0f" % x if isinstance(x, float) else x) for x in row))
	EOT
}
whole() { check_eq "$1: integrity" ok "$(of 'PRAGMA integrity_check')"; }
killed() {
	restart_slurmctld KILL
	whole "$1"
}
written() { (($(of 'SELECT count(*) FROM job' 2>/dev/null || echo 0) >= $1)); }

long=$(submit --gres=gpu:2 --wrap 'sleep 1000')
again=$(submit --gres=gpu:1 --requeue --wrap 'sleep 1000')
wait_for 20 job_is "$long" RUNNING
wait_for 20 job_is "$again" RUNNING
# Five run at once; their user is a tenant, of nothing else.
array=$(submit --uid=games --gres=gpu:1 --array=1-9 --wrap 'sleep 8')
touch "$CLUSTER_DIR/known"
tasks() { [[ $(squeue -h -r -j "$array" 2>/dev/null | wc -l) == 0 ]]; }
wait_for 20 written 8
check_eq "rights of the file" 600 "$(stat -c %a "$file")"
wait_for 20 slurm_has_saved
killed "with jobs that run"
wait_for 40 tasks
first=$(scontrol show job "$again" | grep -o 'StartTime=[^ ]*')
sleep 2 # so that it does not end in the second of its start
scontrol requeue "$again"
requeued() { [[ $(job_field "$again" Restarts) == 1 ]]; }
wait_for 20 requeued
quick=$(submit --gres=gpu:4 --wrap true)
wait_for 30 job_is "$quick" COMPLETED
killed "after one was requeued"
runs_again() {
	# Else Slurm has it wait two minutes, from the end of its cleaning up.
	scontrol update JobId="$again" StartTime=now 2>/dev/null || true
	job_is "$again" RUNNING
}
wait_for 40 runs_again
sleep 3 # a run that takes a while
scancel "$long" "$again"
wait_for 20 job_is "$long" CANCELLED
wait_for 20 job_is "$again" CANCELLED
open() { [[ $(of 'SELECT count(*) FROM job WHERE end_sec IS NULL') != 0 ]]; }
closed() { ! open; }
wait_for 20 closed
whole "at the end"

# All of slurmctld's runs, but for the first one of the job that was requeued:
# that slurmctld forgets, and the file has its start.
want=$(scontrol -o show job | grep 'gres[:/]gpu' | python3 -c '
import re, sys, time
def at(line, key):
    return time.mktime(time.strptime(
        re.search(key + "=(\S+)", line).group(1), "%Y-%m-%dT%H:%M:%S"))
total = 0
for line in sys.stdin:
    gpus = int(re.search(r"gres[:/]gpu[:=](\d+)", line).group(1))
    total += gpus * (at(line, "EndTime") - at(line, "StartTime"))
print("%.0f" % total)')
for level in 0 1 2; do
	got=$(of "SELECT total(used_gpu_sec) - (SELECT end_sec - start_sec FROM
		run WHERE job = (SELECT id FROM job WHERE job = $again)
		ORDER BY start_sec LIMIT 1) FROM owner_time
		WHERE level = $level")
	check_eq "GPU seconds at level $level" "$want" "$got"
done
check_eq "runs of the one that was requeued" 2 \
	"$(of "SELECT count(*) FROM run WHERE job =
	(SELECT id FROM job WHERE job = $again)")"
check_eq "its first start" "$(date -d "${first#*=}" +%s)" \
	"$(of "SELECT start_sec FROM job WHERE job = $again")"
check_eq "what pools and owners say" "$(of 'SELECT total(used_gpu_sec) FROM
	owner_time WHERE level = 1')" "$(of 'SELECT total(used_gpu_sec) FROM
	pool_time WHERE level = 1')"
# had TABLE TENANT: A and F of the array's user
had() {
	of "SELECT total(alloc_gpu_sec), total(fair_gpu_sec) FROM $1_time x
		JOIN $1 ON $1.id = x.$1 JOIN tenant n ON n.id = $2
		WHERE n.name = 'games' AND level = 1"
}
want=$(had tenant tenant.id)
check "the array's tenant had its GPUs" test "${want%% *}" -ge 72
check_eq "what its user had" "$want" "$(had owner owner.tenant)"

# The file becomes a folder, which nobody can write to, root included.
diag() { sfair diag -p 2>/dev/null | grep "^History|$1|"; }
is_writing() { [[ $(diag State) == "History|State|writing|" ]]; }
wait_for 20 is_writing # with the next round
cluster=$top/testsuite/lib/cluster
"$cluster" stop "$CLUSTER_DIR" slurmctld
mv "$file" "$file.good"
mkdir "$file"
"$cluster" start "$CLUSTER_DIR" slurmctld
paused() { [[ $(diag State) == *paused* ]]; }
starts=$(submit --gres=gpu:8 --wrap 'sleep 1000')
wait_for 30 job_is "$starts" RUNNING
wait_for 20 paused
check "the error names the file" grep -F "$file" <<<"$(diag Error)"
check "it is logged once" test "$(grep -c 'astraea: history is paused' \
	"$CLUSTER_DIR/log/slurmctld.log")" = 1
