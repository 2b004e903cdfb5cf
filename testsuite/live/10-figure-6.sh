#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The paper's figure 6, live: on 6 GPUs a job of 6 runs one term for every two
# of the two jobs of 3, and after three terms each has had its share; a job
# whose lease is renewed goes on without a restart.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

term=20
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=$term CheckpointGrace=2
EOT
start_cluster --nodes 1 --gpus 6 --astraea "$conf"
rm -f "$conf"

# Each run of a job says when it began.
work='echo "run $(date +%s)"; exec sleep 1000'
job1=$(submit --open-mode=append --gres=gpu:6 --wrap "$work")
job2=$(submit --open-mode=append --gres=gpu:3 --wrap "$work")
job3=$(submit --open-mode=append --gres=gpu:3 --wrap "$work")

# A line "SECONDS JOBS" whenever other jobs run than before.
watch() {
	local start=$EPOCHREALTIME now last=
	while :; do
		now=$(squeue -h -t RUNNING -o %i | sort -n | xargs)
		if [[ $now && $now != "$last" ]]; then
			awk -v t="$EPOCHREALTIME" -v s="$start" -v n="$now" \
				'BEGIN { printf "%.1f %s\n", t - s, n }'
			last=$now
		fi
		sleep 0.3
	done
}
watch >"$CLUSTER_DIR/out/watch" &
watcher=$!

restarted() { [[ $(job_field "$1" Restarts) == "$2" ]] && job_is "$1" RUNNING; }
wait_for $((4 * term)) restarted "$job1" 1

# Three terms are over: job1 one, the others two without a break. sfair shows the
# last round, which may be a second ago.
rhos() {
	sfair job --json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["jobs"]:
    print(job["id"], job["rho"], job["leases"], job["phase"])'
}
current() {
	rhos >"$CLUSTER_DIR/out/rhos"
	grep -q "^$job1 .* leased$" "$CLUSTER_DIR/out/rhos"
}
wait_for 20 current
check_eq "restarts of job2 when job1 is back" 1 "$(job_field "$job2" Restarts)"
check_eq "runs that job2 knows of" 1 "$(job_log "$job2" | grep -c run)"
check_eq "runs that job3 knows of" 1 "$(job_log "$job3" | grep -c run)"
cat "$CLUSTER_DIR/out/rhos"
while read -r id rho leases _; do
	awk -v r="$rho" 'BEGIN { exit !(r > 0.85 && r < 1.15) }' ||
		fail "rho of job $id after three terms: $rho"
	check_eq "leases of job $id" 2 "$leases"
done <"$CLUSTER_DIR/out/rhos"
check_eq "jobs shown" 3 "$(wc -l <"$CLUSTER_DIR/out/rhos")"

# The next term goes to the others again.
wait_for $((2 * term)) restarted "$job2" 1
wait_for 20 restarted "$job3" 1
seen() { [[ $(tail -n 1 "$CLUSTER_DIR/out/watch") == *" $job2 $job3" ]]; }
wait_for 20 seen
kill $watcher
cat "$CLUSTER_DIR/out/watch"
# Between two, jobs may come and go one by one.
order=$(awk -v a="$job1" -v b="$job2 $job3" '
	{ t = $1; $1 = ""; sub(/^ /, "") }
	$0 == a { print "1" }
	$0 == b { print "2,3" }' "$CLUSTER_DIR/out/watch" | uniq | paste -sd'|')
check_eq "order of runs" "1|2,3|1|2,3" "$order"

# How long each ran: about a term and about two.
awk -v term="$term" -v a="$job1" '
	{ t = $1; $1 = ""; sub(/^ /, ""); if (was != "") ran = t - since }
	was == a && (ran < 0.7 * term || ran > 1.4 * term) { bad = 1 }
	was ~ / / && (ran < 1.7 * term || ran > 2.4 * term) { bad = 1 }
	{ since = t; was = $0 }
	END { exit bad }' "$CLUSTER_DIR/out/watch" ||
	fail "runs are not one and two terms long"
