#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash offers for sfair, sfairsim and sfair-agent: the completion functions
# are called as bash calls them, with the programs as built and a squeue of our
# own.
set -euo pipefail

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${top_builddir:-$top/build}
build=$(cd "$build" && pwd)
status=0
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
if [ ! -x "$build/sfair" ] || [ ! -x "$build/sfairsim" ]; then
	echo "SKIP: sfair or sfairsim is not built"
	exit 77
fi
cat >"$tools/squeue" <<'EOT'
#!/bin/sh
printf '%s\n' 12 '14_[3-9%2]' 14_2 107 '$(touch evil)'
EOT
chmod +x "$tools/squeue"
mkdir "$tools/files"
touch "$tools/files/trace.csv"
cd "$tools/files"
export PATH=$build:$tools:$PATH SFAIR_SOCKET=/nonexistent/a.sock
# shellcheck source=/dev/null
. "$top/contrib/completion/sfairsim"

# offered WORD...: what is offered for the last one, in one line.
offered() {
	local function
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	function=$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')
	"$function" "$1" "${!#}" "${@: -2:1}" || :
	echo "${COMPREPLY[*]-}"
}

# expect TEXT WORD...: exactly that is offered.
expect() {
	local wanted=$1 got
	shift
	got=$(offered "$@" 2>&1)
	[ "$got" = "$wanted" ] && return
	echo "$*: offered \"$got\", not \"$wanted\""
	status=1
}

# expect_some "TEXT..." WORD...: these are among what is offered.
expect_some() {
	local wanted=$1 got word
	shift
	got=$(offered "$@" 2>&1)
	for word in $wanted; do
		[[ " $got " != *" $word "* ]] || continue
		echo "$*: \"$word\" is not in \"$got\""
		status=1
	done
}

# Each command and option that a program's help shows is offered.
expect_help() {
	local -a words=("$@")
	local option
	while read -r option; do
		expect_some "$option" "${words[@]}" "${option%=}"
	done < <("${words[@]}" --help | grep -oE '^ +(-., )?--[a-z0-9-]+=?' |
		grep -oE -- '--[a-z0-9-]+=?')
}

expect_some 'tenant job lease auction class why diag metrics cluster user' sfair ''
expect 'metrics' sfair me
expect '--helpformat' sfair job --helpf
expect_help sfair
expect_help sfair metrics
expect_help sfair check
expect 'trace.csv' sfair check tr
expect 'trace.csv' sfair check --slurm-conf = tr
expect_help sfair try
expect 'trace.csv' sfair try --trace = tr
expect 'LeaseTerm=' sfair try leaset
expect 'Runs' sfair try Ru
expect_some 'Tenants Users Jobs days= format= Policy= RecallAfter=' sfair try ''
expect_help sfair watch
expect_some 'Tenants Users Jobs since= format= Unprepared=' sfair watch ''
expect_help sfair top
expect 'overview nodes leases queue' sfair top --view = ''
expect_help sfair report
expect 'LeaseStart LeaseEnd Leases' sfair lease --format = Lease
expect 'JobID,LeaseStart JobID,LeaseEnd JobID,Leases' \
	sfair lease -o JobID,Lease
expect 'Tenant' sfair tenant --format Ten
expect_some "$(sfair job --helpformat | awk '/^  [A-Z]/ { print $1 }')" \
	sfair job --format =
expect 'Seconds Minutes Hours' sfair tenant -t ''
expect 'Hours' sfair tenant -t h
expect_some '107 12 14 14_2' sfair why ''
expect '12,14 12,14_2' sfair lease -j 12,14
expect 'Fairness Leases Slowdown Requests' sfair job ''
expect 'Fairness Usage Timeline Ledger' sfair tenant ''
expect 'Utilization' sfair cluster u
expect 'start= end= accounts= pool= users= jobs= topcount= format= tree' \
	sfair user top ''
expect 'topcount=' sfair job leases to
expect 'User Used' sfair user top format = us
expect 'User,Total' sfair user Top -o User,To
expect_some root sfair user top users = ro
expect 'HourPer' sfair user top -t hourp
expect_help sfair user top
expect_help sfair job leases
expect_some 'Tenants Sizes Wronged Jobs start= end= accounts= format=' \
	sfair audit ''
expect 'Policies PolicyTenants PolicySizes' sfair audit Pol
expect_some 'start= end= accounts= pool= users=' sfair report ''
[ ! -e evil ] || { echo "a name was expanded"; status=1; }
expect_some root sfair job -u ro
expect '' sfair tenant -A '' # and no complaint without a plugin

expect_some 'run compare tune replay decide options' sfairsim ''
for command in run compare tune replay decide options; do
	expect_help sfairsim "$command"
done
expect_some 'ltgf themis incentive oasis ogasched ltgf+themis ltgf+oasis fifo slurm' \
	sfairsim run --policy = ''
expect 'ltgf,themis ltgf,tiresias' sfairsim compare -p ltgf,t
expect 'auto csv sacct swf' sfairsim run --format = ''
expect 'venus philly apps' sfairsim run -g ''
expect 'LeaseTerm=' sfairsim run --set = LeaseT
expect 'trace.csv' sfairsim run --trace = tr
expect 'trace.csv' sfairsim compare ''

expect_help sfair-agent
expect 'single halving curve exec:' sfair-agent --scheduler = ''
expect 'tensorflow tqdm lightning huggingface' sfair-agent --progress ''
expect 'done,loss' sfair-agent --fields = done,l
expect '107' sfair-agent --job = 10
expect_some sfairsim sfair-agent -- sfairs
expect 'trace.csv' sfair-agent -- cat tr

[ "$status" -ne 0 ] || echo "completion: what is offered is in the help"
exit "$status"
