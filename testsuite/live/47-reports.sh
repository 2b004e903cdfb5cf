#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports over past time: GPU time by account is sreport's and sacct's over the
# same window, each report prints, and PrivateData hides from users what it does
# in sreport.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=1
EOT
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
for a in a b; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
done
sacctmgr -i add user nobody account=b >/dev/null

begin=$(date +%s)
hour=$((begin / 3600 * 3600))
first=$(submit -A a --gres=gpu:2 --wrap 'sleep 9')
second=$(submit -A b --gres=gpu:1 --wrap 'sleep 5')
third=$(submit -A b --uid=nobody --gres=gpu:1 --wrap 'sleep 7')
waited=$(submit -A b --gres=gpu:4 --wrap 'sleep 3')
for id in "$first" "$second" "$third" "$waited"; do
	wait_for 90 job_is "$id" COMPLETED
done
next=$(($(date +%s) / 3600 * 3600 + 3600))
window=("start=$(date -d "@$hour" +%FT%T)" "end=$(date -d "@$next" +%FT%T)")

sfair() { "$ASTRAEA_BUILDDIR/sfair" "$@"; }
used() {
	sfair tenant Usage -nP -t Seconds "${window[@]}" tree \
		format=account,user,used |
		awk -F'|' '$1 != "" && $2 == "" { sub(/^ /, "", $1)
			printf "%s|%.0f\n", $1, $3 }' | sort
}
sacct_ended() {
	[[ $(sacct -nPX -a -S "uts$hour" -o state | grep -c COMPLETED) == 4 ]]
}
wait_for 30 sacct_ended
by_sacct=$(sacct -nPX -a -D -S "uts$hour" -o account,elapsedraw,alloctres |
	awk -F'|' 'match($3, "gres/gpu=[0-9]+") {
		s[$1] += $2 * substr($3, RSTART + 9, RLENGTH - 9) }
		END { for (a in s) print a "|" s[a] }' | sort)
echo "sacct: $by_sacct"
same_used() { [[ $(used) == "$by_sacct" ]]; }
wait_for 30 same_used

# slurmdbd sums up whole hours; it is asked to do so for the present one.
sacctmgr -i rollup "uts$hour" "uts$next" >/dev/null
by_sreport=$(sreport -nP -t Seconds -T gres/gpu cluster \
	AccountUtilizationByUser "start=uts$hour" "end=uts$next" \
	format=account,login,used |
	awk -F'|' '$2 == "" && $1 != "root" { print $1 "|" $3 }' | sort)
echo "sreport: $by_sreport"
check_eq "GPU time by account" "$by_sreport" "$(used)"
by_user=$(sreport -nP -t Seconds -T gres/gpu cluster AccountUtilizationByUser \
	"start=uts$hour" "end=uts$next" accounts=b format=login,used |
	sed -n '/^[a-z]/p' | sort)
check_eq "GPU time of b's users" "$by_user" \
	"$(sfair tenant Usage -nP -t Seconds "${window[@]}" accounts=b \
		format=user,used | sed 's/\.0$//' | sort)"

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
check_eq "a job's wait" 1 "$(sfair job Slowdown -nP "${window[@]}" \
	jobs="$waited" format=wait | grep -c '[1-9]')"
check_eq "a user that is none" 1 "$(sfair user Top "${window[@]}" users=x \
	2>&1 | grep -c '^sfair: error: unknown user x: in this time there were')"

# ---- An ordinary user sees all, until PrivateData says otherwise.
as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups \
		"$ASTRAEA_BUILDDIR/sfair" "$@" "${window[@]}"
}
jobs_seen() { as_nobody job Fairness -nP format=jobid | paste -sd' '; }
check_eq "jobs of all" 4 "$(jobs_seen | wc -w)"
echo "PrivateData=jobs,usage" >>"$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
only_own() { [[ $(jobs_seen) == "$third" ]]; }
wait_for 30 only_own
check_eq "usage of one's own" nobody \
	"$(as_nobody tenant Usage -nP format=user)"
check_eq "one's own tenants" b "$(as_nobody tenant Fairness -nP format=tenant)"
check_eq "operators see all" 4 "$(sfair job Fairness -nP "${window[@]}" |
	wc -l)"
