#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an admin sees who has astraea-source: plugins built at installation, and
# again when Slurm's package was updated; what is said where that cannot be; and
# that nothing is ever left half.
#
# usage: rebuild.sh FOLDER    the packages that were built; Slurm's source beside
set -euo pipefail
here=$(dirname "$0")
. "$here/stock.sh"
. "$here/repo.sh"
built=$1
release=$(slurmctld -V | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
next=${release%.*}.$((${release##*.} + 1))
last=${release%.*}.$((${release##*.} + 2))
plugindir=$(dirname "$(dpkg -L slurm-wlm-basic-plugins | grep '/auth_munge.so$')")
trap stock_down EXIT

engine_answers() { sfair diag >/dev/null 2>&1; }

# whole RELEASE: all five plugins are there, of one build for that release.
whole() {
	local p
	for p in libastraea sched_astraea burst_buffer_astraea priority_ltgf \
		job_submit_astraea; do
		[[ $(readlink -e "$plugindir/$p.so") == \
			"$plugindir/astraea/slurm-$1_"*"/$p.so" ]] ||
			fail "$p.so is $(readlink -e "$plugindir/$p.so"):" \
				"$(tail -n 5 /var/log/astraea-rebuild.log)"
	done
	[[ ! $(find "$plugindir" -name '.new*' -o -name '*.new') ]] ||
		fail "left: $(find "$plugindir" -name '*new*')"
}

# source_of VERSION: the folder of its source, where the configuration looks.
source_of() {
	local folder=/srv/slurm-$1
	cp -a "$here/../slurm-$release" "$folder"
	sed -i "s/$release/$1/" "$folder/src/META" "$folder/build/config.h"
}

stock_up
plain=$(submit alice plain 2)
until_true 30 "a job runs" is "$plain" RUNNING

# ---- installed: built for what is there ------------------------------------------
mkdir -p "$repo"
cp "$built"/{astraea-source,astraea-slurmctld,sfair}_*.deb "$repo"
repo_update
source_of "$release"
printf 'SLURM_SRC=/srv/slurm-%%v/src\nSLURM_BUILD=/srv/slurm-%%v/build\n' \
	>/etc/default/astraea-rebuild
apt_get install --no-install-recommends astraea-source ||
	fail "$(cat /tmp/apt.log)"
whole "$release"
plugin_lines
restart_ctld
until_true 30 "the engine's first round" engine_answers
shows "plugins built for Slurm $release"

# ---- not both packages -------------------------------------------------------------
! apt_get install astraea-slurmctld || fail "packages of both kinds on one host"
grep -A1 'names plugins of this package' /tmp/apt.log
whole "$release"

# ---- killed in the middle -----------------------------------------------------------
astraea-rebuild --force >/tmp/rebuild.log 2>&1 &
until_true 60 "a build" grep -q 'building plugins' /tmp/rebuild.log
kill -KILL $!
wait $! 2>/dev/null || :
whole "$release"

# ---- an update of Slurm, and a source for it ----------------------------------------
slurm_updated() {
	next_slurm "$1"
	repo_update
	apt_get install --only-upgrade slurmctld slurmd slurm-client \
		slurm-wlm-basic-plugins
}
source_of "$next"
slurm_updated "$next" || fail "$(cat /tmp/apt.log)"
grep 'astraea-rebuild: the plugins' /tmp/apt.log || fail "$(cat /tmp/apt.log)"
whole "$next"
restart_ctld
until_true 30 "the engine's first round" engine_answers
shows "rebuilt for Slurm $next by the package manager"

# ---- an update, and no source ---------------------------------------------------------
! slurm_updated "$last" || fail "nobody was told: $(cat /tmp/apt.log)"
echo "--- Slurm $last, and no source of it"
grep 'astraea-rebuild' /tmp/apt.log
grep -q 'WILL NOT START' /tmp/apt.log || fail "$(cat /tmp/apt.log)"
whole "$next"
! astraea-rebuild --check 2>/dev/null || fail "--check finds all well"

# ---- the way out, and another ---------------------------------------------------------
source_of "$last"
dpkg --configure -a >/tmp/apt.log 2>&1 || fail "$(cat /tmp/apt.log)"
whole "$last"
astraea-rebuild --check || fail "--check"
stock_lines
restart_ctld
apt_get purge astraea-source || fail "$(cat /tmp/apt.log)"
left=$(find "$plugindir" -name '*astraea*' -o -name '*ltgf*')
[[ ! $left ]] || fail "purge leaves $left"
is "$plain" RUNNING || fail "the job is $(state_of "$plain")"
shows "stock again"
echo "rebuild: done"
