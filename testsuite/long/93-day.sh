#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# GPU time by account is sreport's and sacct's to the minute over a day of jobs,
# replayed at 1:240 under leases of 6 s: some checkpoint and others are cut
# short, some are cancelled, requeued by hand, fail or are arrays; slurmctld is
# stopped once and killed once in between. The jobs are some of a day of Venus;
# without the trace, made-up ones of the same kind. About eleven minutes.
#
# DAY_SEED      which day, which of its jobs, and what becomes of them  [1]
# DAY_SCALE     seconds of the trace in one of ours  [240]
# DAY_TABLE     keep the table
# REPLAY_TRACES the folder of the traces  [shared/traces beside the checkout]
. "$(dirname "$0")/../lib/live.sh"
. "${live_lib:?}/usage.sh"

traces=$(realpath -m "${REPLAY_TRACES-$top/../shared/traces}")
seed=${DAY_SEED-1} scale=${DAY_SCALE-240}
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=3
EOT
start_cluster --nodes 3 --gpus 8 --accounting --astraea "$conf"
rm -f "$conf"
cd "$CLUSTER_DIR/out" || exit

# What happens when, a line each: SECOND ACTION NAME ARGUMENT...
trace=$traces/venus_2weeks_2020-08-23.csv
day=$((seed % 14)) # of the fourteen
if [[ ! -r $trace ]]; then
	trace=trace.csv day=0
	"$ASTRAEA_BUILDDIR/sfairsim" run --generate venus --jobs 900 --days 1 \
		--seed "$seed" --jobs-csv "$trace" >/dev/null
fi
python3 - "$trace" "$day" "$seed" "$scale" >plan <<'EOT'
import csv, random, sys
trace, day, seed, scale = sys.argv[1], *map(int, sys.argv[2:])
random.seed(seed)
rows = []
for row in csv.DictReader(open(trace)):
    submit = float(row.get("submit_s") or row.get("submit_sec")) - 86400 * day
    if 0 <= submit < 86400 and row["gpus"]:
        rows.append((submit, row["tenant"], int(row["gpus"]), float(
            row.get("duration_s") or row.get("duration_sec"))))
length = 86400 / scale
plan = [(0.4 * length, "restart", "TERM", 3), (0.7 * length, "restart", "KILL", 4)]
random.shuffle(rows)
work = 0
for n, (submit, tenant, gpus, seconds) in enumerate(rows):
    gpus = min(gpus, 16)
    at, seconds = submit / scale, min(45, max(1, round(seconds / scale)))
    luck = random.random()
    tasks = random.randint(2, 4) if random.random() < 0.1 and gpus <= 2 else 1
    status = 3 if random.random() < 0.1 else 0
    saves = int(random.random() < 0.5)
    user = random.choice(("root", "games"))
    plan.append((at, "submit", n, tenant, user, gpus, tasks, seconds, status,
                 saves))
    if luck < 0.1:
        plan.append((at + random.uniform(0.2, 30), "cancel", n))
    elif luck < 0.2:
        plan.append((at + random.uniform(0.5, 15), "requeue", n))
    work += gpus * tasks * seconds
    if work > 24 * length:
        break
for line in sorted(plan):
    print("%.1f" % line[0], *line[1:])
EOT
awk '{ n[$2]++ } END { for (a in n) printf "%d x %s, ", n[a], a; print "" }' plan

awk '$2 == "submit" { print $4 }' plan | sort -u >accounts
while read -r account; do
	sacctmgr -i add account name="$account" >/dev/null </dev/null
	sacctmgr -i add user root,games account="$account" >/dev/null </dev/null
done <accounts
known() { (($("$ASTRAEA_BUILDDIR/sfair" tenant -nP 2>/dev/null | wc -l) >= \
	$(wc -l <accounts))); }
wait_for 60 known

cat >work <<'EOT'
#!/bin/bash
# work SECONDS STATUS SAVES: each run is some of the work.
((!$3)) || trap 'exit 85' USR1
left=$(($1 - 5 * ${SLURM_RESTART_COUNT:-0}))
((left <= 0)) || { sleep "$left" & wait; }
exit "$2"
EOT

declare -A ids
do_submit() { # NAME ACCOUNT USER GPUS TASKS SECONDS STATUS SAVES
	local many=() signal=() try
	(($5 == 1)) || many=(--array="1-$5")
	((!$8)) || signal=(--signal=USR1)
	for try in 1 2 3; do
		if ids[$1]=$(submit -A "$2" --uid="$3" --gpus="$4" --mem=100 \
			--requeue "${many[@]}" "${signal[@]}" work "$6" "$7" \
			"$8"); then
			return
		fi
		sleep "$try"
	done
	fail "job $1 was not submitted"
}
do_cancel() { scancel "${ids[$1]}" || true; }
# Only in its run: one that has ended and is requeued has, for Slurm, run until
# then. It has to wait for two minutes, unless Slurm is told otherwise.
do_requeue() {
	job_is "${ids[$1]}" RUNNING || return 0
	scontrol requeue "${ids[$1]}" 2>/dev/null || return 0
	soon+=("${ids[$1]}")
}
do_restart() { # SIGNAL SECONDS
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld "$1"
	sleep "$2"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
soon=()
hurry() {
	local id
	for id in "${soon[@]}"; do
		! job_is "$id" PENDING ||
			scontrol update JobId="$id" StartTime=now || true
	done
}

begin=$(date +%s.%N)
while read -r at action arguments <&3; do
	sleep "$(python3 -c "import sys, time
print(max(0, $begin + $at - time.time()))")"
	# shellcheck disable=SC2086
	"do_$action" $arguments
done 3<plan
echo "all submitted after $(python3 -c "import time
print(round(time.time() - $begin))") s"
start=$((${begin%.*} / 3600 * 3600))
over() {
	hurry
	sleep 2
	usage_settled "$start"
}
wait_for 600 over
echo "all over after $(python3 -c "import time
print(round(time.time() - $begin))") s"

echo "runs by how they ended, of sacct:"
sacct -nPX -a -D -S "uts$start" -o state | sed 's/ by .*//' | sort | uniq -c
usage_table "$start" $(($(date +%s) / 3600 * 3600 + 3600)) >table
cat table
[[ ! ${DAY_TABLE-} ]] || cp table "$DAY_TABLE"
check "at most a minute of a GPU is missing" test "${usage_worst:?}" -le 60
