# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How run.sh runs a test; sourced by it and by check-harness.
#
#   watch_crashes FOLDER	build crash.so there; without, as where there is no
#				compiler or a sanitizer watches, nothing is seen
#   run_one NAME LIMIT COMMAND	leaves FOLDER's NAME.out, and NAME.end with the
#				status and the milliseconds
#   processes_of START		whose TMPDIR, or current folder, begins so
#   signal_processes SIGNAL START [COMMAND]	to those, of this name
#   unmount_below START	unmount what is mounted where a path begins so; prints
#				a line for each
#
# A test sees the same environment whoever runs it: what is not named here is
# not passed on. And it fails where any process of it dies by a fault of its
# own, be it one that nobody waits for: see crash.c. A test that means such a
# death says so: touch "$ASTRAEA_CRASHES/.meant". A test has a TMPDIR of its own,
# which goes when it ends; a process with it, or in it, that stays is ended, a mount in
# it is undone, and both fail the test. Where a disk is full the test says so.

# Knobs of tests among them, by their prefixes. Programs are the system's: one of
# the caller's own, an interpreter without a module say, would hide a fault.
passed_on='HOME|XDG_CACHE_HOME|CI|KEEP_CLUSTER|top_srcdir|top_builddir'
passed_on+='|(ASTRAEA|ASTRA|BENCH|CCACHE|DAY|FUZZ|REPLAY|SOAK)_[A-Z_]*'

run_lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=testsuite/lib/slurm.sh
. "$run_lib/slurm.sh"
# shellcheck source=testsuite/lib/load.sh
. "$run_lib/load.sh"

# Job users other than root load it, too.
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

# clean COMMAND...: with nothing in its environment but what is passed on.
clean() {
	local name environment=(TERM=dumb PATH="$slurm_path" TMPDIR="$own/tmp")
	for name in $(compgen -e | grep -xE "$passed_on"); do
		environment+=("$name=${!name}")
	done
	[[ ! $crash_lib ]] || environment+=("LD_PRELOAD=$crash_lib"
		"ASTRAEA_CRASHES=$own/crashes")
	env -i "${environment[@]}" "$@"
}

# What died, where that was not meant.
put_crashes() {
	[[ -e $own/crashes/.meant ]] || cat "$own"/crashes/* 2>/dev/null || :
}

# A slurmstepd overwrites its environment.
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

# What is still there a second after the test's end; ended.
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
