#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair when and squeue --start against what then happens: 36 jobs of 2 users
# whose jobs run a fifth of their limit, as those before them did. The estimate
# of each is taken once, while it waits; its median error is printed, and is to be
# well below the median wait.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=30 CheckpointGrace=2 MinRunTime=5 ForecastInterval=3
EOT
start_cluster --nodes 2 --gpus 4 --astraea "$conf"
rm -f "$conf"
as() { setpriv --reuid "$1" --regid games --clear-groups "${@:2}"; }
send() { # USER NAME GPUS SECONDS
	as "$1" sbatch --parsable -o /dev/null -J "$2" --gres=gpu:"$3" -t 2 \
		--wrap "sleep $4"
}

# What was there before, to learn from.
for user in games daemon; do
	for i in 1 2 3; do
		send $user short 1 4 >/dev/null
		send $user long 1 16 >/dev/null
	done
done
all_done() { [[ -z $(squeue -h) ]]; }
wait_for 120 all_done

declare -A told=() early=() late=()
ids=()
for i in $(seq 18); do
	ids+=("$(send games long $((i % 3 + 1)) 16)")
	ids+=("$(send daemon short $((i % 2 + 1)) 4)")
done
blocked=$(as games sbatch --parsable -o /dev/null -H --gres=gpu:1 --wrap true)

knows() { [[ $(sfair when "${ids[35]}" 2>/dev/null) == *"is expected to start at"* ]]; }
wait_for 30 knows
sfair when "${ids[35]}"

# squeue --start says the same of those that will wait for long. All are asked at
# once, so that no forecast comes between.
printf '%s\n' "${ids[@]:22}" >"$CLUSTER_DIR/last"
same() {
	local n
	sfair job -nP -o JobID,Start | grep -v N/A | sort >"$CLUSTER_DIR/ours"
	squeue -h -t PD --start -o '%i|%S' | sort >"$CLUSTER_DIR/slurms"
	n=$(comm -12 "$CLUSTER_DIR/ours" "$CLUSTER_DIR/slurms" |
		cut -d'|' -f1 | grep -cxFf "$CLUSTER_DIR/last" || true)
	((n >= 7))
}
wait_for 40 same
[[ $(sfair when "$blocked") == *"no expected start"*held* ]] ||
	fail "of a held job: $(sfair when "$blocked")"
runs() {
	running=$(squeue -h -t R -n long -S M -o %i | head -n 1) # the youngest
	[[ $(sfair when "$running") == "Job $running has run since "* ]]
}
wait_for 20 runs

# The estimate of each job that waits, as sfair when tells it, and when it was asked for.
asked=$(date +%s)
sfair job --json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["jobs"]:
    if job["phase"] == "waiting" and job["id"] != int(sys.argv[1]):
        print(job["id"], *(int(job[k] or 0) for k in (
            "expected_start_sec", "expected_early_sec", "expected_late_sec")))
' "$blocked" >"$CLUSTER_DIR/told"
waiting=0
while read -r id start first last; do
	((++waiting && start)) || continue
	told[$id]=$start early[$id]=$first late[$id]=$last
done <"$CLUSTER_DIR/told"
# On a busy machine some have started before the last was submitted.
((waiting >= 10 && ${#told[@]} * 10 >= waiting * 9)) ||
	fail "${#told[@]} of $waiting jobs have an estimate"

scancel "$blocked"
wait_for 400 all_done
for id in "${ids[@]}"; do
	[[ ${told[$id]-} ]] || continue
	# Its first one: on a slow machine it may need another lease.
	start=$(sed -n "s/^.\([-0-9T:.]*\). astraea: start JobId=$id .*/\1/p" \
		"$CLUSTER_DIR/log/slurmctld.log" | head -n 1)
	echo "$(date -d "$start" +%s) $asked ${told[$id]} ${early[$id]}" \
		"${late[$id]}"
done >"$CLUSTER_DIR/starts"
python3 - "$CLUSTER_DIR/starts" <<'EOT'
import statistics, sys
rows = [list(map(int, line.split())) for line in open(sys.argv[1])]
waits = [real - asked for real, asked, *_ in rows]
# When the machine got slower since it learned, all runs and waits are longer alike.
slower = max(1, sum(waits) / sum(told - asked for _, asked, told, *_ in rows))
errors = [abs(real - asked - slower * (told - asked))
          for real, asked, told, *_ in rows]
inside = sum(early - 3 <= real and (not late or real <= late + 3)
             for real, _, _, early, late in rows)
print(f"{len(rows)} jobs: median error {statistics.median(errors):.0f} s, "
      f"largest {max(errors):.0f} s; {slower:.2f} times slower than told; "
      f"median wait {statistics.median(waits):.0f} s; "
      f"{inside} within their bounds")
assert statistics.median(errors) < statistics.median(waits) / 3
assert inside > len(rows) / 2
EOT
