#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed when a job has been requeued and its node has become clean,
# before a round has charged that: the run is charged until it ended, as in sacct,
# not until its node was clean. Another kill changes nothing of it. A run that no
# round has seen is charged for the GPUs that it had.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp) epilog=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
printf '#!/bin/sh\nsleep 8\n' >"$epilog"
chmod 755 "$epilog"
# A run that no round saw is known by slurmctld's record of its job alone.
start_cluster --needs minage=300 --accounting --nodes 1 --gpus 4 --astraea "$conf" \
	--slurm "Epilog=$epilog"
rm -f "$conf"
trap 'status=$?; rm -f "$epilog"; live_end "$status"' EXIT

id=$(submit --gres=gpu:4 --requeue --wrap 'sleep 600')
charged() {
	sfair tenant --json 2>/dev/null | python3 -c '
import json, sys
print(*(round(t["alloc_gpu_sec"]) for t in json.load(sys.stdin)["tenants"]))'
}
has_some() { (($(charged) > 4)); }
wait_for 30 has_some
slurm_state=$CLUSTER_DIR/state
cp "$slurm_state/astraea.gpu" "$CLUSTER_DIR/aside"

scontrol requeue "$id"
clean() { job_is "$id" PENDING && ! scontrol show node | grep >/dev/null COMPLETING; }
wait_for 30 clean
touch "$CLUSTER_DIR/known"
scontrol hold "$id"
wait_for 20 slurm_has_saved
run() { sacct -nPX -D -j "$1" -o state,start,end | grep REQUEUED; }
booked() { [[ $(run "$id") == *\|20*\|20* ]]; }
wait_for 20 booked
IFS='|' read -r _ start end < <(run "$id")
wanted=$((4 * ($(date -d "$end" +%s) - $(date -d "$start" +%s))))

# What was charged is as it was while the job ran.
forget() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
	cp "$CLUSTER_DIR/aside" "$slurm_state/astraea.gpu"
	rm -f "$slurm_state"/astraea-history.sqlite*
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
newer() { (($(sfair tenant --json 2>/dev/null | python3 -c '
import json, sys
print(int(json.load(sys.stdin)["time_sec"]))') > now)); }
for what in "a kill" "another kill"; do
	forget
	now=$(date +%s)
	wait_for 30 newer
	check_eq "GPU seconds after $what" "$wanted" "$(charged)"
done

# An elastic job of up to 4 GPUs has the 2 that another leaves.
scancel "$id"
holder=$(submit --gres=gpu:2 --wrap 'sleep 600')
wait_for 30 job_is "$holder" RUNNING
touch "$CLUSTER_DIR/known"
ours_is_saved() { [[ $slurm_state/astraea.gpu -nt $CLUSTER_DIR/known ]]; }
wait_for 30 ours_is_saved
cp "$slurm_state/astraea.gpu" "$CLUSTER_DIR/aside"
short=$(submit --gpu-range=1-4 --wrap 'sleep 3')
wait_for 30 job_is "$short" COMPLETED
scancel "$holder"
runs() { # GPUs, start and end of each, by accounting
	sacct -nPX -D -j "$1" -o alloctres,start,end |
		sed -nE 's,.*gres/gpu=([0-9]+)[^|]*[|](20.*)[|](20.*),\1 \2 \3,p'
}
all_booked() { (($(runs "$id,$holder,$short" | wc -l) == 3)); }
wait_for 30 all_booked
check_eq "GPUs of the elastic job" 2 "$(runs "$short" | cut -d' ' -f1)"
wanted=0
while read -r gpus start end; do
	((wanted += gpus * ($(date -d "$end" +%s) - $(date -d "$start" +%s))))
done < <(runs "$id,$holder,$short")
forget
now=$(date +%s)
wait_for 30 newer
check_eq "GPU seconds with a run that no round saw" "$wanted" "$(charged)"
size_of() { # JOB: of its run, by the history
	python3 - "$slurm_state/astraea-history.sqlite" "$1" <<-'EOT'
		import sqlite3, sys
		db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
		print(*db.execute("SELECT DISTINCT r.gpus FROM run r JOIN job j ON"
		    " j.id = r.job WHERE j.job = " + sys.argv[2]).fetchone() or "")
	EOT
}
has_size() { [[ $(size_of "$short" 2>/dev/null) == 2 ]]; }
wait_for 20 has_size
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
