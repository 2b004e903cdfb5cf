#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run the tests; set up and build first, from nothing if need be.
#
#   testsuite/run.sh                    all of them
#   testsuite/run.sh 'live/10-*' ...    those whose name matches; --list lists
#   testsuite/run.sh --changed[=COMMIT] those that what is not committed can break,
#                                       or what has changed since that commit
#   testsuite/run.sh --all [...]        also what has passed under a sanitizer with
#                                       the very same bytes; the line before the last
#                                       says of how many that is known
#   testsuite/run.sh --long [...]       long/ as well: hours
#   testsuite/run.sh --differing [...]  not those whose head says that they are
#                                       alike with any Slurm: for a second one
#   testsuite/run.sh --one-in=N [...]   of live/ each Nth test, from another one each
#                                       day: in N days each test runs
#   testsuite/run.sh --once-more [...]  a test of live/ that failed beside others
#                                       is run again when they have ended, beside two
#                                       others at most; a line before the last says
#                                       how many passed only so. Not one in which
#                                       something crashed or that did not end, nor
#                                       those of faults (7*) and sanitizers (81), not
#                                       the same twice
#   testsuite/run.sh --within=M [...]   of live/ those of less than two minutes in an
#                                       order of the day; none begins M minutes after
#                                       the start of this command, nor again M + 15
#                                       after it. A line before the last says how many
#                                       did not begin: on a usual machine none
#   testsuite/run.sh --slurm=PREFIX [...]  with the Slurm installed there, whose
#                                       source and build folder lie where
#                                       build-aux/setup.sh would put them, or:
#     --slurm-src=DIR --slurm-build=DIR
#
# unit/    what "make check" runs: cmocka programs and checks of the build
# golden/  scripts that compare a decision with what is expected
# live/    NN-*.sh: scripts with a throw-away cluster each, which wait more than
#          they work
# long/    NN-*.sh: the same, but each may take an hour or more
# A test ends with 0 (passed), 77 (skipped) or anything else (failed). The last
# line counts them; the exit status is 1 if one failed. The environment of who
# runs them is not theirs, one of whose processes one dies by SIGSEGV and the like
# fails, and so does one that leaves a process: testsuite/lib/run-one.sh.
#
# The next test begins while the machine is idle for a quarter of its time and has
# 2 GiB of memory left. Up to five tests also run on a machine that is busy, for
# most of them wait, as long as fewer than three processes want each processor: the
# start of a process costs several times as much in a crowd. Two tests always run.
# The longest begin first, by their last times here (test-times in the build folder),
# or by testsuite/lib/test-times.
#
# ASTRAEA_BUILDDIR        the build folder [build/ of the checkout, or with --slurm
#                         build-slurm-VERSION/]
# ASTRAEA_CONFIGURE       arguments for configure, where it has yet to be run
# ASTRAEA_TEST_TIMEOUT    seconds for one test [3600; 4 hours with --long]
# ASTRAEA_JOBS            tests at a time, at most [24]
# ASTRAEA_CLUSTER         what the clusters of live tests have: see
#                         testsuite/lib/draw.sh
# ASTRAEA_DAY             the day by which that and --one-in draw [today]
# TMPDIR                  where all that tests write lies [/tmp]

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=testsuite/lib/run-one.sh
. "$top/testsuite/lib/run-one.sh"
long='' differing='' once_more='' changed='' one_in=1 within=''
passed=0 failed=0 skipped=0 only_again=0 known=0 not_begun=0
TMPDIR=$(cd "${TMPDIR:-/tmp}" && pwd)
export TMPDIR
work=$(mktemp -d "$TMPDIR/astraea-run.XXXXXX")
watcher=''
trap '[[ ! $watcher ]] || kill -KILL "$watcher" || :; end_all' EXIT
trap 'exit 1' INT TERM HUP

finish() {
	clear_progress
	((known == 0)) || echo "$known had passed under a sanitizer, with the same bytes"
	((only_again == 0)) || echo "$only_again passed only when run again"
	((not_begun == 0)) || echo "$not_begun of live/ did not begin within $within minutes"
	echo "$passed passed, $failed failed, $skipped skipped"
	((failed == 0)) || exit 1
	exit 0
}

is_alike() { head -n 12 "$1" | grep >/dev/null '^# Alike with any Slurm'; }

# Print "NAME COMMAND" of each test.
all_tests() {
	local t n=0 day=$(($(date -ud "$ASTRAEA_DAY" +%s) / 86400))
	for t in $(make -s -C "$ASTRAEA_BUILDDIR" list-tests); do
		case $t in
		*/golden/*) echo "golden/${t##*/} $t" ;;
		*) echo "unit/${t##*/} $t" ;;
		esac
	done
	for t in "$top"/testsuite/live/[0-9][0-9]-*.sh \
		${long:+"$top"/testsuite/long/[0-9][0-9]-*.sh}; do
		[[ -x $t ]] || continue
		[[ ! $differing ]] || ! is_alike "$t" || continue
		((++n % one_in == day % one_in)) || continue
		echo "${t#"$top/testsuite/"} $t"
	done
}

# longest_first <LIST: the same lines by the seconds that are expected of each,
# which stand before them. With --within the order of the shorter live tests is drawn
# by the day, so that on a slow machine no test is always the last one.
longest_first() {
	local times=$ASTRAEA_BUILDDIR/test-times seed=${within:+${ASTRAEA_DAY//-/}}
	touch "$times"
	awk -v seed="$seed" 'BEGIN { srand(seed + 0) }
		FILENAME != "-" { last[$1] = $2; next }
		{ is_short = $1 !~ /^(live|long)\//
		  seconds = $1 in last ? last[$1] : is_short ? 3 : 60
		  drawn = seed != "" && !is_short && seconds < 120
		  print drawn ? 30 + 90 * rand() : seconds, seconds, $0 }' \
		"$top/testsuite/lib/test-times" "$times" - |
		sort -k1,1nr -k3,3 | cut -d' ' -f2-
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
	awk -v name="$1" '$2 == name' "$work/list" >>"$work/again"
}

report() {
	local name=$1 out=$work/${1//\//_} status ms word
	{ read -r status ms <"$out.end"; } 2>/dev/null || status='' ms=0
	echo "$name $(((ms + 999) / 1000))" >>"$ASTRAEA_BUILDDIR/test-times"
	clear_progress
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
	0) known=$((known + $(sed -n '$s/^\([0-9]*\) of [0-9]* known$/\1/p' "$out.out" | grep . || echo 0))) ;;
	77) tail -n 1 "$out.out" | sed 's/^/      /' ;;
	'') echo "      how it ended could not be written to $work" ;;
	124) tail -n 40 "$out.out" | sed 's/^/      /'
		echo "      not ended after $limit s" ;;
	*) tail -n 60 "$out.out" | sed 's/^/      /' ;;
	esac
}

clear_progress() { [[ ! -t 1 ]] || printf '\r\033[K'; }

# On a terminal: how many are done, what runs, how long the rest will take where
# as much is done at a time as till now.
show_progress() {
	[[ -t 1 && $SECONDS != "$shown" ]] || return 0
	local names='' pid left=$waiting past=$((SECONDS - begun))
	shown=$SECONDS
	for pid in "${!running[@]}"; do
		names+=" ${running[$pid]#*/}"
		left=$((left + ${expected[$pid]}))
	done
	((done_sec == 0)) || left=$((left * past / done_sec))
	printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" \
		"$((passed + failed + skipped))/$count, $(((left + 59) / 60)) min left:$names"
}

# Report the tests that have ended.
collect() {
	local pid
	for pid in "${!running[@]}"; do
		[[ -e $work/${running[$pid]//\//_}.end ]] ||
			! kill -0 "$pid" 2>/dev/null || continue
		wait "$pid" || :
		report "${running[$pid]}"
		done_sec=$((done_sec + ${expected[$pid]}))
		unset "running[$pid]" "expected[$pid]"
	done
}

# Whether the machine bears one more test.
has_room() {
	local at_once=${#running[@]} most=${ASTRAEA_JOBS:-24}
	((at_once < most)) || return 1
	((at_once >= 2)) || return 0
	look_at_load && ((free_mib >= 2048)) || return 1
	((idle >= 25 || at_once < 5 && crowd < 300))
}

declare -A running=() expected=()
shown=''

# is_in_time NAME: whether the test may still begin; else it is counted and named.
is_in_time() {
	[[ $within && $1 == live/* ]] && ((SECONDS >= within * 60)) || return 0
	not_begun=$((not_begun + 1))
	echo "LATE  $1"
	return 1
}

# run_tests LIST: of that file, with the seconds expected of each before it.
run_tests() {
	local seconds name command begun=$SECONDS done_sec=0 waiting count
	count=$(wc -l <"$1") waiting=$(awk '{ n += $1 } END { print n + 0 }' "$1")
	while read -r seconds name command; do
		until collect && has_room; do
			show_progress
			nap 0.3
		done
		is_in_time "$name" || continue
		run_one "$name" "$limit" "$command" &
		running[$!]=$name expected[$!]=$seconds
		waiting=$((waiting - seconds))
	done <"$1"
	until collect && ((!${#running[@]})); do
		show_progress
		nap 0.3
	done
}

# Each test's own trap stops its cluster; what is left then is killed.
end_all() {
	local seconds
	trap '' INT TERM HUP
	signal_processes TERM "$work/" timeout
	for ((seconds = 0; seconds < 60; seconds++)); do
		[[ $(processes_of "$work/") ]] || break
		sleep 1 # nap may have been interrupted, and bash ends in a second one
	done
	signal_processes KILL "$work/"
	unmount_below "$work/" >/dev/null
	[[ ${KEEP_CLUSTER-} ]] || rm -rf "$work"
}

# The same where this script is killed, or bash crashes: 5.2.15 may do that where a
# trap ends a "read -t".
watch_end() {
	trap - EXIT
	trap '' INT TERM HUP
	while kill -0 $$; do nap 2; done
	end_all
} 2>/dev/null

check_numbers() {
	local name
	for name in ASTRAEA_JOBS ASTRAEA_TEST_TIMEOUT; do
		[[ ! ${!name:-1} =~ ^[1-9][0-9]*$ ]] || continue
		echo "$name=${!name}: not a number above 0" >&2
		exit 1
	done
}

need_space() {
	look_at_space "$work"
	((space_mib < 1024)) || return 0
	echo "$TMPDIR: $space_mib MiB are free, tests need 1024; see TMPDIR" >&2
	exit 1
}

# The programs of the list, and what the heads of its scripts name: "# Needs: test_x".
build_programs() {
	local programs
	programs=$(awk '{ print $3 }' "$work/list" | while read -r command; do
		case $command in
		*/testsuite/*) sed -n '1,12s/^# Needs: //p' "$command" ;;
		*) echo "${command##*/}" ;;
		esac
	done | xargs)
	[[ ! $programs ]] || ASTRAEA_TARGETS=$programs "$top/build-aux/build.sh" || {
		failed=1
		finish
	}
}

# Those that failed, three at a time and for the last time.
run_again() {
	local before=$passed late=$not_begun within=${within:+$((within + 15))}
	once_more=''
	[[ -e $work/again ]] || return 0
	echo "Once more:"
	ASTRAEA_JOBS=3 run_tests "$work/again"
	failed=$((failed + not_begun - late)) not_begun=$late
	only_again=$((passed - before))
}

while [[ ${1-} == --* && $1 != --list ]]; do
	case $1 in
	--all) export ASTRAEA_ALL=1 ;;
	--changed) changed=HEAD ;;
	--changed=?*) changed=${1#*=} ;;
	--long) long=1 ;;
	--differing) differing=1 ;;
	--one-in=[1-9]) one_in=${1#*=} ;;
	--once-more) once_more=1 ;;
	--within=[1-9] | --within=[1-9][0-9] | --within=[1-9][0-9][0-9]) within=${1#*=} ;;
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
export ASTRAEA_BUILDDIR=${ASTRAEA_BUILDDIR:-$top/build${ASTRAEA_SLURM:+-slurm-$(slurm_version)}}
export top_srcdir=$top top_builddir=$ASTRAEA_BUILDDIR
export ASTRAEA_DAY=${ASTRAEA_DAY-$(date +%F)} # also of a test that runs after midnight
check_numbers
limit=${ASTRAEA_TEST_TIMEOUT:-$((long ? 14400 : 3600))}
# All programs of tests where all are run, and for --changed, which looks into them.
build=("$top/build-aux/build.sh")
(($#)) && [[ ! $changed ]] || build+=(--checks)
"${build[@]}" || {
	failed=1
	finish
}
cd "$top"
if [[ ${1-} == --list ]]; then
	all_tests | cut -d' ' -f1
	exit 0
fi
if [[ $changed ]]; then
	mapfile -t names < <("$top/testsuite/lib/changed" "$changed")
	((${#names[@]})) || {
		echo "nothing has changed since $changed"
		finish
	}
	set -- "${names[@]}"
fi
all_tests | while read -r name command; do
	! wanted "$name" "$@" || echo "$name $command"
done | longest_first >"$work/list"
[[ -s $work/list ]] || {
	echo "no test has such a name; testsuite/run.sh --list" >&2
	exit 1
}
build_programs
awk '{ last[$1] = $2 } END { for (name in last) print name, last[name] }' \
	"$ASTRAEA_BUILDDIR/test-times" >"$work/times"
cp "$work/times" "$ASTRAEA_BUILDDIR/test-times"
need_space
watch_crashes "$work"
set -m # in a process group of its own: this one may be killed
watch_end &
watcher=$!
disown
set +m
run_tests "$work/list"
run_again
finish
