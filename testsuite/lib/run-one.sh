# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How run.sh runs a test; sourced by it and by check-harness.
#
#   watch_crashes FOLDER	build crash.so there; without, as where there is no
#				compiler or a sanitizer watches, nothing is seen
#   run_one NAME LIMIT COMMAND	leaves FOLDER's NAME.out, and NAME.end with the
#				status and the milliseconds
#
# A test sees the same environment whoever runs it: what is not named here is
# not passed on. And it fails where any process of it dies by a fault of its
# own, be it one that nobody waits for: see crash.c. A test that means such a
# death says so: touch "$ASTRAEA_CRASHES/.meant".

# Knobs of tests among them, by their prefixes. Programs are the system's: one of
# the caller's own, an interpreter without a module say, would hide a fault.
passed_on='HOME|TMPDIR|XDG_CACHE_HOME|CI|KEEP_CLUSTER|top_srcdir|top_builddir'
passed_on+='|(ASTRAEA|ASTRA|BENCH|CCACHE|DAY|FUZZ|REPLAY|SOAK)_[A-Z_]*'

run_lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=testsuite/lib/slurm.sh
. "$run_lib/slurm.sh"

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
	local name environment=(TERM=dumb PATH="$slurm_path")
	for name in $(compgen -e | grep -xE "$passed_on"); do
		environment+=("$name=${!name}")
	done
	[[ ! $crash_lib ]] || environment+=("LD_PRELOAD=$crash_lib"
		"ASTRAEA_CRASHES=$crashes")
	env -i "${environment[@]}" "$@"
}

# What died, where that was not meant.
put_crashes() {
	[[ ! -e $crashes/.meant ]] && cat "$crashes"/* 2>/dev/null
}

run_one() {
	local out=$run_folder/${1//\//_} start=${EPOCHREALTIME/./} status=0
	local crashes
	crashes=$(mktemp -d "$run_folder/crashes.XXXXXX")
	chmod 1777 "$crashes"
	clean timeout --kill-after=60 "$2" "$3" >"$out.out" 2>&1 </dev/null ||
		status=$?
	if put_crashes >"$out.dead" && ((status == 0 || status == 77)); then
		echo "FAIL: what no process of a test may do:" >>"$out.out"
		status=1
	fi
	cat "$out.dead" >>"$out.out"
	echo "$status $(((${EPOCHREALTIME/./} - start) / 1000))" >"$out.end"
}
