#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Break the code by one small change at a time, and see whether a test fails.
#
# usage: testsuite/long/mutants.sh [OPTION]...
#   --seed=N       draw other changes [1]
#   --count=N      draw so many, besides those of mutants.list [50]
#   --only=FOLDER  only changes in this folder, such as src/engine
#   --list         print the changes, and try none
#   --no-live      run no test with a real slurmctld
#   --most=SEC     for each change, leave out the slowest unit programs: those that
#                  run in so many seconds are enough [600]
#
# Works on a copy of the checkout in ~/.cache/astraea/mutants (MUTANTS_DIR), which
# stays there for the next time. Prints a line for each change: the place, the change,
# and the test that failed ("killed") or that none did ("SURVIVED"). Ends with 0 if
# tests noticed at least 90 % of the changes, and every text of mutants.list is still
# in its file. See testsuite/lib/mutants.py.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
work=${MUTANTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/astraea/mutants}
tree=$work/tree
mkdir -p "$tree"
exec 9>"$work/lock"
flock -n 9 || {
	echo "$work: another run works there; see MUTANTS_DIR" >&2
	exit 1
}
cd "$top"
git ls-files -z --cached --others --exclude-standard |
	tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$tree"
# make compares times: what the last run changed has an object of that.
while read -r file; do touch "$tree/$file"; done < <(sort -u "$work/changed" 2>/dev/null)
export ASTRAEA_BUILDDIR=$tree/build
[[ " $* " == *' --list '* ]] || {
	ASTRAEA_TARGETS=sfairsim "$tree/build-aux/build.sh"
	rm -f "$work/changed"
}
exec python3 "$top/testsuite/lib/mutants.py" "$work" "$@"
