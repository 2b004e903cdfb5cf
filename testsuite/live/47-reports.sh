#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports over past time: GPU time by account is sreport's and sacct's over the
# same window, though a job was requeued, another cancelled, and slurmctld
# restarted in their runs; each report prints, and PrivateData hides from users
# what it does in sreport.
. "$(dirname "$0")/../lib/live.sh"
. "${live_lib:?}/usage.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=1
EOT
start_cluster --needs minage=300 --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
for a in a b; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
done
sacctmgr -i add user games account=b >/dev/null

begin=$(date +%s)
hour=$((begin / 3600 * 3600))
first=$(submit -A a --gres=gpu:2 \
	--wrap 'sleep $((SLURM_RESTART_COUNT ? 9 : 100))') # once it is requeued
second=$(submit -A b --gres=gpu:1 --wrap 'sleep 5')
third=$(submit -A b --uid=games --gres=gpu:1 --wrap 'sleep 7')
wait_for 30 job_is "$first" RUNNING
sleep 2 # so that it does not end in the second of its start
scontrol requeue "$first"
stopped=$(submit -A a --gres=gpu:1 --no-requeue --wrap 'sleep 1000')
wait_for 60 job_is "$stopped" RUNNING
waited=$(submit -A b --gres=gpu:4 --wrap 'sleep 3')
restart_slurmctld
# Else Slurm has it wait 2 minutes; it refuses until slurmdbd has answered it.
at_once() { scontrol update JobId="$first" StartTime=now 2>/dev/null; }
wait_for 30 at_once
sleep 2
scancel "$stopped"
for id in "$first" "$second" "$third" "$waited"; do
	wait_for 90 job_is "$id" COMPLETED
done
wait_for 30 usage_settled "$hour"
next=$(($(date +%s) / 3600 * 3600 + 3600))
window=("start=$(date -d "@$hour" +%FT%T)" "end=$(date -d "@$next" +%FT%T)")
usage_table "$hour" "$next"
sacct -nPX -a -D -S "uts$hour" -o state >"$OUT/states"
check_eq "requeued runs, at least" 1 "$(grep -c REQUEUED "$OUT/states" |
	sed 's/[1-9].*/1/')"
check_eq "cancelled runs" 1 "$(grep -c CANCELLED "$OUT/states")"
check_eq "GPU seconds that differ in an account" 0 "${usage_worst:?}"

sfair() { "$ASTRAEA_BUILDDIR/sfair" "$@"; }
export usage_start=$hour usage_end=$next
by_user() { awk -F'|' '$1 != "" { s[$1] += $2 }
	END { for (u in s) print u "|" s[u] }' | sort; }
check_eq "GPU time of b's users" \
	"$(usage_sreport accounts=b format=login,used | by_user)" \
	"$(sfair tenant Usage -nP -t Seconds "${window[@]}" accounts=b \
		format=user,used | by_user)"

# ---- Each report has something to say, for people and for programs.
for report in "cluster Utilization" "cluster Fairness" "cluster Rounds" \
	"tenant Fairness" "tenant Usage" "tenant Timeline" "user Top" \
	"user Fairness" "job Fairness" "job Leases" "job Slowdown"; do
	echo "== sfair $report"
	# shellcheck disable=SC2086
	sfair $report "${window[@]}" >"$OUT/report"
	cat "$OUT/report"
	[[ $(wc -l <"$OUT/report") -ge 6 ]] || fail "$report is empty"
	# shellcheck disable=SC2086
	sfair $report "${window[@]}" --json |
		python3 -c 'import json, sys
reply = json.load(sys.stdin)
assert reply["rows"] and not reply["more"], reply'
done
sfair tenant Ledger "${window[@]}" >/dev/null
check_eq "first starts, each job's once though one was requeued" 5 \
	"$(sfair cluster Fairness -nP "${window[@]}" format=first |
		awk '{ n += $1 } END { print n }')"
check_eq "a job's wait" 1 "$(sfair job Slowdown -nP "${window[@]}" \
	jobs="$waited" format=wait | grep -c '[1-9]')"
check_eq "a user that is none" 1 "$(sfair user Top "${window[@]}" users=x \
	2>&1 | grep -c '^sfair: error: unknown user x: in this time there were')"

# ---- An ordinary user sees all, until PrivateData says otherwise.
others() {
	as_other \
		"$ASTRAEA_BUILDDIR/sfair" "$@" "${window[@]}"
}
jobs_seen() { others job Fairness -nP format=jobid | paste -sd' '; }
check_eq "jobs of all" 5 "$(jobs_seen | wc -w)"
echo "PrivateData=jobs,usage" >>"$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
only_own() { [[ $(jobs_seen) == "$third" ]]; }
wait_for 30 only_own
check_eq "usage of one's own" games \
	"$(others tenant Usage -nP format=user)"
check_eq "one's own tenants" b "$(others tenant Fairness -nP format=tenant)"
check_eq "operators see all" 5 "$(sfair job Fairness -nP "${window[@]}" |
	wc -l)"
