#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What sfairsim does with a bad trace, bad weights or a bad cluster: status 1,
# one line on stderr that names what is wrong, and no file, not even half of
# one.
#
# usage: bad-traces.sh [SFAIRSIM]

set -u

sim=$(realpath "${1:-${top_builddir:-.}/sfairsim}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0 passed=0

# refused MESSAGE ARGUMENT...: by sfairsim run on one node
refused() {
	local message=$1 rc=0
	shift
	mkdir out
	"$sim" run --nodes 1 "$@" --jobs-csv out/jobs --json out/json \
		>stdout 2>stderr </dev/null || rc=$?
	if ((rc == 1)) && [[ ! -s stdout ]] && rmdir out 2>/dev/null &&
		(($(wc -l <stderr) == 1)) &&
		[[ $(<stderr) == "sfairsim: error: $message" ]]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL: sfairsim run $*: status $rc, instead of: $message"
	cat stderr
	ls out
	rm -rf out
}

header=job_id,tenant,submit_s,duration_s,gpus
more='; --lenient goes on without such lines'
# bad LINE MESSAGE: as the third one of a trace
bad() {
	printf '%s\n' "$header" a,t,0,5,1 "$1" z,t,9,5,1 >trace
	refused "trace: line 3: $2$more" --trace trace
}
bad b,t,1,-3,1 'duration missing or negative: duration_s=-3'
bad b,t,1,,1 'duration missing or negative: duration_s='
bad b,t,1,long,1 'value missing, no number or out of range: duration_s=long'
bad b,t,1,5,-1 'value missing, no number or out of range: gpus=-1'
bad b,t,1,5,1e9 'value missing, no number or out of range: gpus=1e9'
bad b,t,1,5 'wrong number of fields: b,t,1,5'
bad b,t,-1,5,1 'submitted before the line above: submit_s=-1'
bad $'b\001,t,1,5,1' 'no line of UTF-8 text: b'

printf '%s\n' "$header" a,t,0,5,9 >trace
refused 'trace: no job fits the cluster' --trace trace --quiet
: >trace
refused 'trace is empty' --trace trace
refused 'standard input is empty' --trace -
refused 'cannot read no-such-file: No such file or directory' \
	--trace no-such-file
refused 'cannot read .: Is a directory' --trace .
refused 'there is no trace format xls; there are auto, csv, sacct and swf' \
	--trace trace --format xls
refused 'there is no generator mars; there are venus, philly, apps' \
	--generate mars
printf '%s\n' "$header" a,t,0,5,1 b,u,0,5,1 >trace
printf '%s\n' tenant,weight t,1 >weights
refused 'weights has no weight of tenant u' --trace trace --weights weights
printf '%s\n' tenant,weight t,1 u,much >weights
refused 'weights: line 3: no weight from 0 to 1e9: much' --trace trace \
	--weights weights

echo "bad traces: $passed passed, $failed failed"
((failed == 0 && passed > 0))
