#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=incentive has tenants pay: what sfair tenant Ledger tells of them is what
# the leases that were sold cost by SPEC.md's prices, though slurmctld was
# stopped in one window and killed in another; what one pays others are given.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=incentive LendIdle=no
	RoundInterval=1
	SlotLength=10
	BatchMax=3
	CheckpointGrace=1
EOT
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
for a in 'a 1' 'b 2' 'c 1'; do
	read -r name share <<<"$a"
	sacctmgr -i add account name="$name" fairshare="$share" >/dev/null
	sacctmgr -i add user root account="$name" >/dev/null
done
sfair() { "$ASTRAEA_BUILDDIR/sfair" "$@"; }
minute() { date -d "@$1" +%FT%R; }
# jobs_of ACCOUNT N: so many jobs that come to one sale, however slow the machine is;
# prints their ids.
jobs_of() {
	local ids=() i
	for ((i = 0; i < $2; i++)); do
		ids+=("$(submit -H -A "$1" --gres=gpu:1 --time=60 --wrap 'sleep 1000')")
	done
	scontrol release "$(IFS=, && echo "${ids[*]}")" >&2
	echo "${ids[@]}"
}
leases() { sfair job Leases "${window[@]}" -nP format=start 2>/dev/null | wc -l; }
sold() { (($(leases) >= $1)); }

begin=$(date +%s)
window=("start=$(minute "$begin")" "end=$(minute $((begin + 3600)))")
jobs_of a 4 >/dev/null
wait_for 60 sold 8 # two windows
window_end=$(sfair price -nP -o end | tail -n 1)
restart_slurmctld
# b's share is asked for by b: two of a's jobs give way.
for id in $(jobs_of b 2); do
	wait_for 90 job_is "$id" RUNNING
done
wait_for 30 sold 12
restart_slurmctld KILL
wait_for 60 sold 16
last=$(sfair job Leases "${window[@]}" -nP format=start | sort | tail -n 1)
sleep $(($(date -d "$last" +%s) + 23 - $(date +%s))) # into the window's last slot
scancel -u root
closed() {
	local ends
	ends=$(sfair job Leases "${window[@]}" -nP format=end)
	[[ $ends != *N/A* ]]
}
wait_for 30 closed

# What tenants paid and were given by their leases, in micro-credits. After a first window
# of two slots, windows of three follow each other every 30 s, and sfair price said when
# one ends; on a busy machine, and for 20 s after slurmctld has started, a lease begins
# late in its window. In each window, by arrival: a job within its tenant's share pays
# nothing, each other job the price of as many GPUs as are sold, to the tenants whose
# shares are not used up.
cat >"$OUT/sales.py" <<'EOT'
import json, math, sys
quota = {"a": 1, "b": 2, "c": 1}
gpus = sum(quota.values())
rows = json.load(sys.stdin)["rows"]
grid, first = int(sys.argv[1]), min(row["start_sec"] for row in rows)
grid -= (grid - first - 2) // 30 * 30  # the end of the first window
windows = {}
for row in rows:
    windows.setdefault((row["start_sec"] - grid + 2) // 30, []).append(row)
paid, income = dict.fromkeys(quota, 0), dict.fromkeys(quota, 0)
for number, sale in windows.items():
    begin = grid + 30 * number
    end = min(begin + 30, max(row["end_sec"] for row in sale))
    if number < 0:
        begin = min(row["start_sec"] for row in sale)
    slots = math.ceil((end - begin - 1) / 10)
    own, shared = dict.fromkeys(quota, 0), []
    for row in sorted(sale, key=lambda row: row["job"]):
        who = row["tenant"]
        if own[who] < quota[who]:
            own[who] += 1
        else:
            shared.append(who)
    unused = gpus - sum(own.values())
    for i, who in enumerate(shared):
        used = sum(own.values()) + i
        cost = (2 ** (used / gpus) - 1) * slots * 10 / 3600
        paid[who] += cost
        for u in quota:
            income[u] += cost * (quota[u] - own[u]) / unused
for u in quota:
    print(u, "%.3f %.3f" % (paid[u] * 1e6, income[u] * 1e6))
EOT
by_leases() {
	sfair job Leases "${window[@]}" --json |
		python3 "$OUT/sales.py" "$(date -d "$window_end" +%s)"
}
# The same of the ledger; each balance is what was given less what was paid.
by_ledger() { # START END [ARGUMENT]...
	sfair tenant Ledger "start=$1" "end=$2" --json "${@:3}" | python3 -c '
import json, sys
sums = {}
for row in json.load(sys.stdin)["rows"]:
    s = sums.setdefault(row["tenant"], [0, 0])
    s[0] += row["paid"]
    s[1] += row["income"]
    assert abs(row["balance"] - s[1] + s[0]) < 1e-9, row
for u in sorted(sums):
    print(u, *("%.3f" % (x * 1e6) for x in sums[u]))'
}
begins=$(minute "$begin") ends=$(minute $((begin + 3600)))
sfair job Leases "${window[@]}"
sfair tenant Ledger "${window[@]}"
check_eq "what tenants paid and were given" "$(by_leases)" \
	"$(by_ledger "$begins" "$ends")"
check "a does not pay b and c" awk '
	$1 == "a" { paid = $2 - $3 }
	$1 != "a" && $2 == 0 { income += $3; others++ }
	END { exit !(others == 2 && paid > 9000 && (paid - income) ^ 2 < 9) }' \
	< <(by_ledger "$begins" "$ends")

# ---- The options of reports.
added() {
	awk '{ p[$1] += $2; i[$1] += $3 }
		END { for (u in p) printf "%s %.0f %.0f\n", u, p[u], i[u] }' |
		sort
}
middle=$(minute $((begin + 60)))
check_eq "two parts of the time" "$(by_ledger "$begins" "$ends" | added)" \
	"$({
		by_ledger "$begins" "$middle"
		by_ledger "$middle" "$ends"
	} | added)"
check_eq "one account" "$(by_ledger "$begins" "$ends" | grep ^c)" \
	"$(by_ledger "$begins" "$ends" accounts=c)"
of_c() { sfair tenant Ledger "${window[@]}" accounts=c -nP "$@"; }
check_eq "in hours, and in percent of GPU time" "$(of_c)$(of_c)" \
	"$(of_c -t Hours)$(of_c -t Percent)"
check_eq "as a table" "$(of_c format=tenant,income)" \
	"$(of_c -p format=tenant,income | sed 's/|$//')"
