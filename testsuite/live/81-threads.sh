#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No race in those programs of "make check" that have threads.
# Alike with any Slurm.
set -euo pipefail
unset LD_PRELOAD # a sanitizer wants to be the first
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASTRAEA_BUILDDIR:-$top/build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Programs without threads have no races.
threaded=''
for test in $(make -s -C "$build" list-tests); do
	[[ $(nm -u "$test" 2>/dev/null) != *pthread_create* ]] ||
		threaded+=" ${test##*/}"
done
[[ $threaded == *test_proto_server* ]] || {
	echo "FAIL: no program with threads:$threaded"
	exit 1
}

# shellcheck disable=SC2086
folder=$("$top/testsuite/lib/variant" tsan $threaded)
make -j2 -C "$folder" check-TESTS "check_PROGRAMS=$threaded" \
	dist_check_SCRIPTS= "TESTS=$threaded" >"$log" 2>&1 || {
	echo "FAIL: make check in $folder:"
	grep -E '^(FAIL|ERROR):' "$log" || tail -n 30 "$log"
	grep -E 'FAILED|error:|ERROR|WARNING: ' "$folder/test-suite.log" |
		head -n 40
	exit 1
}
