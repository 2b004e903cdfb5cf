#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No race in those programs of "make check" that have threads.
# Alike with any Slurm.
set -euo pipefail
unset LD_PRELOAD # a sanitizer wants to be the first
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASTRAEA_BUILDDIR:-$top/build}

# Programs without threads have no races.
ASTRAEA_BUILDDIR=$build "$top/build-aux/build.sh" --checks
threaded=()
for test in $(make -s -C "$build" list-tests); do
	[[ $(nm -u "$test" 2>/dev/null) != *pthread_create* ]] ||
		threaded+=("${test##*/}")
done
[[ ${threaded[*]} == *test_proto_server* ]] || {
	echo "FAIL: no program with threads: ${threaded[*]}"
	exit 1
}

# sfair: some of them run it.
folder=$("$top/testsuite/lib/variant" tsan "${threaded[@]}" sfair)
(cd "$folder" && "$top/testsuite/lib/known" "${threaded[@]/#/$folder/}") || {
	echo "FAIL: make check in $folder"
	exit 1
}
