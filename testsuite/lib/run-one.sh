# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs one test for run.sh; sourced by run.sh and by check-harness.
#
#   watch_crashes FOLDER	build FOLDER/crash.so. Without a compiler, or if a
#				sanitizer watches, crashes are not noticed
#   run_one NAME LIMIT COMMAND	run a test; leaves FOLDER's NAME.out, and NAME.end
#				with the status and the milliseconds
#   processes_of START		print the processes whose TMPDIR or current folder
#				begins with START
#   signal_processes SIGNAL START [COMMAND]	signal these processes, or only
#				those with this name
#   unmount_below START	undo the mounts at paths that begin with START; prints
#				a line for each
#
# A test has the same environment for all users: other variables than those named
# here are not passed on. It fails if any of its processes crashes, also one that no
# process waits for: see crash.c. For an intended crash: touch
# "$ASTRAEA_CRASHES/.meant". Each test has its own TMPDIR, which is removed when the
# test ends. Processes that stay in it, or have it as their TMPDIR, are killed, and
# mounts in it are undone; both fail the test. If a disk is full, the output says so.

# Variables that are passed on; those of tests by their prefixes. PATH is the
# system's: a program of the user, such as a Python without a module, would hide a
# fault.
passed_on='HOME|XDG_CACHE_HOME|CI|KEEP_CLUSTER|top_srcdir|top_builddir'
passed_on+='|(ASTRAEA|ASTRA|BENCH|CCACHE|DAY|FUZZ|REPLAY|SOAK)_[A-Z_]*'

run_lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=testsuite/lib/slurm.sh
. "$run_lib/slurm.sh"
# shellcheck source=testsuite/lib/load.sh
. "$run_lib/load.sh"

# Job users other than root must be able to load crash.so, too.
watch_crashes() {
	run_folder=$1
	chmod 711 "$run_folder"
	crash_lib=''
	[[ ! ${ASTRAEA_CHECKER-} ]] || return 0
	! grep -qsF -e --enable-sanitizer "$ASTRAEA_BUILDDIR/config.status" ||
		return 0
	command -v cc >/dev/null || return 0
	cc -O1 -shared -fPIC -o "$run_folder/crash.so" "$run_lib/crash.c"
	crash_lib=$run_folder/crash.so
}

# clean COMMAND...: run it with only the variables that are passed on.
clean() {
	local name environment=(TERM=dumb PATH="$slurm_path" TMPDIR="$own/tmp")
	for name in $(compgen -e | grep -xE "$passed_on"); do
		environment+=("$name=${!name}")
	done
	[[ ! $crash_lib ]] || environment+=("LD_PRELOAD=$crash_lib"
		"ASTRAEA_CRASHES=$own/crashes")
	env -i "${environment[@]}" "$@"
}

# Prints the crashes, unless they were intended.
put_crashes() {
	[[ -e $own/crashes/.meant ]] || cat "$own"/crashes/* 2>/dev/null || :
}

# Looks at current folders, too, as slurmstepd overwrites its environment.
processes_of() {
	{
		grep -lasF "TMPDIR=$1" /proc/[0-9]*/environ || :
		find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1*" 2>/dev/null || :
	} | cut -d/ -f3 | sort -u
}

signal_processes() {
	local pid name
	for pid in $(processes_of "$2"); do
		read -r name <"/proc/$pid/comm" || continue
		[[ ${3-$name} != "$name" ]] || kill "-$1" "$pid" || :
	done
} 2>/dev/null

unmount_below() {
	local place
	awk -v start="$1" 'index($5, start) == 1 { print $5 }' \
		/proc/self/mountinfo | tac | while read -r place; do
		! umount -l "$place" || echo "$place was left mounted"
	done
}

# Prints and kills the processes that are left a second after the test's end.
put_left_processes() {
	local pid
	[[ $(processes_of "$own/") ]] || return 0
	sleep 1
	for pid in $(processes_of "$own/"); do
		tr '\0' ' ' <"/proc/$pid/cmdline" && echo "was left running"
		kill -KILL "$pid" || :
	done 2>/dev/null
}

run_one() {
	local out=$run_folder/${1//\//_} start=${EPOCHREALTIME/./} status=0 own
	own=$(mktemp -d "$run_folder/XXXXXX")
	chmod 711 "$own"
	mkdir -m 1777 "$own"/{crashes,tmp}
	clean timeout --kill-after=60 "$2" "$3" >"$out.out" 2>&1 </dev/null ||
		status=$?
	look_at_space "$own"
	{ put_crashes && put_left_processes && unmount_below "$own/"; } >"$out.dead"
	if [[ -s $out.dead ]] && ((status == 0 || status == 77)); then
		echo "FAIL: what no process of a test may do:" >>"$out.out"
		status=1
	fi
	[[ ${KEEP_CLUSTER-} ]] || rm -rf "$own"
	{
		cat "$out.dead"
		((space_mib >= 16)) || echo "$run_folder: no space was left"
	} >>"$out.out" || :
	echo "$status $(((${EPOCHREALTIME/./} - start) / 1000))" >"$out.end"
}
