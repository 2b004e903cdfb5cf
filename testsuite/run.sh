#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run the tests; set up and build first, from nothing if need be.
#
#   testsuite/run.sh                    all of them
#   testsuite/run.sh 'live/10-*' ...    those whose name matches; --list lists
#   testsuite/run.sh --long [...]       long/ as well: hours
#   testsuite/run.sh --differing [...]  not those whose head says that they are
#                                       alike with any Slurm: for a second one
#   testsuite/run.sh --once-more [...]  a test of live/ that failed beside others
#                                       is run again, alone; the line before the
#                                       last says how many passed only so. Not one
#                                       in which something crashed or that did not
#                                       end, nor those of faults (7*) and
#                                       sanitizers (81), not the same twice
#   testsuite/run.sh --slurm=PREFIX [...]  with the Slurm installed there, whose
#                                       source and build folder lie where
#                                       build-aux/setup.sh would put them, or:
#     --slurm-src=DIR --slurm-build=DIR
#
# unit/    what "make check" runs: cmocka programs and checks of the build
# golden/  scripts that compare a decision with what is expected
# live/    NN-*.sh: scripts with a throw-away cluster each, which wait more than
#          they work: five at a time
# long/    NN-*.sh: the same, but each may take an hour or more
# A test ends with 0 (passed), 77 (skipped) or anything else (failed). The last
# line counts them; the exit status is 1 if one failed. The environment of who
# runs them is not theirs, and one of whose processes one dies by SIGSEGV and the
# like fails: testsuite/lib/run-one.sh.
#
# ASTRAEA_BUILDDIR        the build folder [build/ of the checkout, or with --slurm
#                         build-slurm-VERSION/]
# ASTRAEA_CONFIGURE       arguments for configure, where it has yet to be run
# ASTRAEA_TEST_TIMEOUT    seconds for one test [2400; 4 hours with --long]
# ASTRAEA_JOBS            tests at a time [3, or 5 of live/]

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
long='' differing='' once_more=''
passed=0 failed=0 skipped=0 only_alone=0
work=$(mktemp -d "${TMPDIR:-/tmp}/astraea-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
# So that a test's own trap can stop its cluster; what waits for it ends then.
trap 'for job in $(jobs -p); do pkill -P "$job" || :; done; wait; exit 1' INT TERM HUP

finish() {
	((only_alone == 0)) || echo "$only_alone passed only when run alone"
	echo "$passed passed, $failed failed, $skipped skipped"
	((failed == 0)) || exit 1
	exit 0
}

is_alike() { head -n 12 "$1" | grep >/dev/null '^# Alike with any Slurm'; }

# Print "NAME COMMAND" of each test.
all_tests() {
	local t
	for t in $(make -s -C "$ASTRAEA_BUILDDIR" list-tests); do
		case $t in
		*/golden/*) echo "golden/${t##*/} $t" ;;
		*) echo "unit/${t##*/} $t" ;;
		esac
	done
	# The long ones first, so that others run beside them; before all, those
	# that work all the time.
	for t in "$top"/testsuite/live/8[12]-*.sh \
		"$top"/testsuite/live/{7[0-9],8[03-9]}-*.sh \
		"$top"/testsuite/live/[0-69][0-9]-*.sh \
		${long:+"$top"/testsuite/long/[0-9][0-9]-*.sh}; do
		[[ -x $t ]] || continue
		[[ ! $differing ]] || ! is_alike "$t" || continue
		echo "${t#"$top/testsuite/"} $t"
	done
}

wanted() {
	local name=$1 pattern
	shift
	(($#)) || return 0
	for pattern in "$@"; do
		pattern=${pattern#testsuite/}
		# shellcheck disable=SC2053
		[[ $name == $pattern || ${name%.sh} == $pattern ]] && return 0
	done
	return 1
}

# runs_again NAME STATUS: whether the test, which failed, is to be run once more;
# noted.
runs_again() {
	[[ $once_more && $1 == live/* && $2 != 124 ]] || return 1
	[[ $1 != live/7* && $1 != live/81-* ]] || return 1
	[[ ! -s $work/${1//\//_}.dead ]] || return 1
	sed -n "\\,^$1 ,p" "$work/list" >>"$work/again"
}

report() {
	local name=$1 out=$work/${1//\//_} status ms word
	read -r status ms <"$out.end"
	case $status in
	0) word=PASS passed=$((passed + 1)) ;;
	77) word=SKIP skipped=$((skipped + 1)) ;;
	*)
		word=FAIL
		! runs_again "$name" "$status" || word=AGAIN
		[[ $word == AGAIN ]] || failed=$((failed + 1))
		;;
	esac
	printf '%s  %s  %d.%d s\n' "$word" "$name" \
		$((ms / 1000)) $((ms % 1000 / 100))
	case $status in
	0) ;;
	77) tail -n 1 "$out.out" | sed 's/^/      /' ;;
	124) tail -n 40 "$out.out" | sed 's/^/      /'
		echo "      not ended after $limit s" ;;
	*) tail -n 60 "$out.out" | sed 's/^/      /' ;;
	esac
}

# The places that running tests have: the busy one has those of three.
count_places() {
	local name
	places=0
	for name in "${running[@]}"; do
		places=$((places + 1))
		[[ $name != live/81-* ]] || places=$((places + 2))
	done
}

# Report tests as they end, and wait until they have fewer than $1 places.
collect() {
	local pid
	while :; do
		for pid in "${!running[@]}"; do
			if ! kill -0 "$pid" 2>/dev/null; then
				wait "$pid" || true
				report "${running[$pid]}"
				unset "running[$pid]"
			fi
		done
		count_places
		((places >= $1)) || return 0
		wait -n 2>/dev/null || true
	done
}

declare -A running=()

run_tests() {
	local name command jobs
	while read -r name command; do
		jobs=3
		[[ $name != live/* ]] || jobs=5
		run_one "$name" "$limit" "$command" &
		running[$!]=$name
		collect "${ASTRAEA_JOBS:-$jobs}"
	done
	collect 1
}

# Those that failed, one at a time and for the last time.
run_again() {
	local before=$passed
	once_more=''
	[[ -e $work/again ]] || return 0
	echo "Once more, alone:"
	ASTRAEA_JOBS=1 run_tests <"$work/again"
	only_alone=$((passed - before))
}

while [[ ${1-} == --* && $1 != --list ]]; do
	case $1 in
	--long) long=1 ;;
	--differing) differing=1 ;;
	--once-more) once_more=1 ;;
	--slurm=?*) export ASTRAEA_SLURM=${1#*=} ;;
	--slurm-src=?*) export ASTRAEA_SLURM_SRC=${1#*=} ;;
	--slurm-build=?*) export ASTRAEA_SLURM_BUILD=${1#*=} ;;
	*)
		echo "$1: no option; see the head of testsuite/run.sh" >&2
		exit 1
		;;
	esac
	shift
done
# shellcheck source=testsuite/lib/run-one.sh
. "$top/testsuite/lib/run-one.sh"
export ASTRAEA_BUILDDIR=${ASTRAEA_BUILDDIR:-$top/build${ASTRAEA_SLURM:+-slurm-$(slurm_version)}}
export top_srcdir=$top top_builddir=$ASTRAEA_BUILDDIR
limit=${ASTRAEA_TEST_TIMEOUT:-$((long ? 14400 : 2400))}
"$top/build-aux/build.sh" --checks || {
	failed=1
	finish
}
cd "$top"
if [[ ${1-} == --list ]]; then
	all_tests | cut -d' ' -f1
	exit 0
fi
all_tests | while read -r name command; do
	! wanted "$name" "$@" || echo "$name $command"
done >"$work/list"
[[ -s $work/list ]] || {
	echo "no test has such a name; testsuite/run.sh --list" >&2
	exit 1
}
watch_crashes "$work"
run_tests <"$work/list"
run_again
finish
