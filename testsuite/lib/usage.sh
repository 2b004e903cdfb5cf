# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# GPU time by account, by sfair, sreport and sacct: source it after live.sh.
#
#   usage_settled START	whether all jobs since then are over, in slurmdbd and
#			in the history, too
#   usage_table START END	print the three side by side, in GPU seconds, with
#			differences; times: seconds since the epoch, at whole
#			hours. $usage_worst is the largest difference
#   usage_by_PROGRAM, usage_sreport, with $usage_start and $usage_end as above
#
# sacct's figures are of all runs of all jobs, requeued ones included (-D), in whole
# seconds. The elapsed times of sacct and sreport leave suspended time out.

usage_sfair() {
	"$ASTRAEA_BUILDDIR/sfair" "$@" "start=$(date -d "@$usage_start" +%FT%T)" \
		"end=$(date -d "@$usage_end" +%FT%T)"
}

usage_settled() {
	local open usage_start=$1 usage_end
	usage_end=$(($(date +%s) / 3600 * 3600 + 3600))
	[[ ! $(squeue -h -o %i) ]] || return 1
	open=$(sacct -nPX -a -D -S "uts$usage_start" -o end | grep -c Unknown)
	((open == 0)) || return 1
	open=$(usage_sfair job Slowdown -nP format=jobid,end |
		grep -c '|N/A$')
	((open == 0))
}

# Each prints lines "ACCOUNT GPU_SECONDS", and may leave out accounts without any.
usage_by_sfair() {
	usage_sfair tenant Usage -nP -t Seconds format=account,user,used |
		awk -F'|' '$2 != "" { s[$1] += $3 }
			END { for (a in s) print a, s[a] }'
}

# Makes slurmdbd sum up the present hour, too, and asks hour by hour, as sreport ends
# a longer time at the start of the present hour.
usage_sreport() { # ARGUMENT...: rows of each hour
	local hour
	sacctmgr -i rollup "uts$usage_start" "uts$usage_end" >/dev/null
	for ((hour = usage_start; hour < usage_end; hour += 3600)); do
		sreport -nP -t Seconds -T gres/gpu \
			cluster AccountUtilizationByUser "start=uts$hour" \
			"end=uts$((hour + 3600))" "$@"
	done
}

usage_by_sreport() {
	usage_sreport format=account,login,used |
		awk -F'|' '$2 == "" && $1 != "root" { s[$1] += $3 }
			END { for (a in s) print a, s[a] }'
}

usage_by_sacct() {
	sacct -nPX -a -D -S "uts$usage_start" -E "uts$usage_end" \
		-o account,elapsedraw,alloctres |
		awk -F'|' 'match($3, "gres/gpu=[0-9]+") {
			s[$1] += $2 * substr($3, RSTART + 9, RLENGTH - 9) }
			END { for (a in s) print a, s[a] }'
}

usage_table() {
	local usage_start=$1 usage_end=$2 table=$CLUSTER_DIR/usage.txt
	{
		usage_by_sfair | sed 's/^/sfair /'
		usage_by_sreport | sed 's/^/sreport /'
		usage_by_sacct | sed 's/^/sacct /'
	} | python3 -c '
import sys
names = ("sfair", "sreport", "sacct")
used = {}
for line in sys.stdin:
    who, account, seconds = line.split()
    used.setdefault(account, dict.fromkeys(names, 0.0))[who] = float(seconds)
print("%-10s %9s %9s %9s %10s %10s" %
      (("account",) + names + ("- sreport", "- sacct")))
def show(account, u):
    print("%-10s %9.0f %9.0f %9.0f %+10.0f %+10.0f" % (
        account, *(u[n] for n in names), u["sfair"] - u["sreport"],
        u["sfair"] - u["sacct"]))
for account in sorted(used):
    show(account, used[account])
show("all", {n: sum(u[n] for u in used.values()) for n in names})
print("worst %.0f" % max([0] + [
    abs(u["sfair"] - u[n]) for u in used.values() for n in names]))' >"$table"
	sed '$d' "$table"
	usage_worst=$(sed -n '$s/worst //p' "$table")
	export usage_worst
}
