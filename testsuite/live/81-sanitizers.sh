#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No bad access, no leak and no undefined behaviour in "make check", nor of ours
# inside slurmctld. Here with two live tests;
# ASTRAEA_CHECKER=asan testsuite/run.sh 'live/*' does all.
# Alike with any Slurm.
set -euo pipefail
unset LD_PRELOAD # a sanitizer wants to be the first
top=$(cd "$(dirname "$0")/../.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A checker is worth as much as the eyes that read what it says: those of
# checker-report, and those of a cluster's end.
judged() { "$top/testsuite/lib/checker-report" "$1" >"$log"; }
for sample in "$top"/testsuite/lib/checker-samples/*; do
	case $sample in
	*-of-ours) ! judged "$sample" ;;
	*) judged "$sample" ;;
	esac || {
		echo "FAIL: $sample is not judged right:"
		cat "$log"
		exit 1
	}
done

! ASTRAEA_CHECKER=asan "$top/testsuite/lib/planted" >"$log" 2>&1 || {
	echo "FAIL: a leak and an overflow that were planted are not seen"
	exit 1
}
for bug in 'leak of 77 byte' 'signed integer overflow'; do
	grep -q "$bug" "$log" || {
		echo "FAIL: what was planted is not named: $bug"
		cat "$log"
		exit 1
	}
done

# Test programs name the undefined, but go on unless they are told.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# Pages in a browser, packages, texts about texts, decisions that are pinned and
# hundreds of simulations take minutes and touch no memory of ours that other tests
# do not. Of random worlds an eighth is drawn: see draws() in unit.h.
folder=$("$top/testsuite/lib/variant" asan)
ASTRAEA_BUILDDIR=$folder "$top/build-aux/build.sh" --checks
checked=()
for test in $(make -s -C "$folder" list-tests); do
	case $test in
	*/page.sh | */completion.sh | */check-* | */test_frameworks.py) ;;
	*/packages*.sh | */install.sh | */setup.sh | */run-golden.sh) ;;
	*/test_sim_properties | */test_sim_gang | */shares.sh | */papers.sh) ;;
	*) checked+=("$test") ;;
	esac
done
# What was freed is kept for 16 MiB and not 256: a third of the time less.
(cd "$folder" && ASAN_OPTIONS=quarantine_size_mb=16 \
	"$top/testsuite/lib/known" "${checked[@]}") || {
	echo "FAIL: make check in $folder"
	exit 1
}

for name in 15-lease-end 24-config; do
	ASTRAEA_CHECKER=asan "$top/testsuite/live/$name.sh" || {
		echo "FAIL: $name within AddressSanitizer"
		exit 1
	}
done
