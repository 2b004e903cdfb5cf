#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an admin of a stock cluster sees who installs Astraea's packages, updates
# Slurm below them, updates them, and removes them, with jobs there all the time.
# It runs as root in a Debian root of its own: testsuite/packages/try.
#
# usage: scene.sh FOLDER    the packages that were built
set -euo pipefail
here=$(dirname "$0")
. "$here/stock.sh"
. "$here/repo.sh"
built=$1
release=$(slurmctld -V | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
next=${release%.*}.$((${release##*.} + 1))
version=$(dpkg-deb -f "$built"/astraea-slurmctld_*.deb Version)
version=${version%%+*}
trap stock_down EXIT

# nothing_lost: the four jobs that were submitted are there, none twice.
nothing_lost() {
	[[ $(squeue -h -o %i | sort -n | xargs) == "${jobs[*]}" ]] ||
		fail "jobs: $(squeue -h -o %i | xargs), not ${jobs[*]}"
}

engine_answers() { sfair diag >/dev/null 2>&1; }

step() {
	shows "$*"
	nothing_lost
}

stock_up
mkdir -p "$repo"
jobs=()
for who in alice alice bob bob; do jobs+=("$(submit $who "train" 2)"); done
until_true 30 "two jobs run" is "${jobs[1]}" RUNNING
step "stock Slurm $release"

# ---- installing changes nothing ---------------------------------------------
pid=$(cat /run/slurmctld.pid)
cp "$built"/{astraea-slurmctld,astraea-spank,sfair}_*.deb "$repo"
repo_update
apt_get install --no-install-recommends astraea-slurmctld astraea-spank ||
	fail "$(cat /tmp/apt.log)"
[[ $(cat /run/slurmctld.pid) == "$pid" ]] || fail "slurmctld was restarted"
[[ ! -e /etc/slurm/astraea.conf ]] || fail "an astraea.conf was installed"
scontrol show config | grep >/dev/null 'SchedulerType *= sched/backfill' ||
	fail "another scheduler"
/usr/share/astraea/in-use && fail "slurm.conf names our plugins already"
step "installed: nothing has changed"

# ---- leases -------------------------------------------------------------------
plugin_lines
sfair check >/tmp/check.log 2>&1 || fail "sfair check: $(cat /tmp/check.log)"
restart_ctld
until_true 30 "the engine's first round" engine_answers
until_true 60 "bob's turn" is "${jobs[2]}" RUNNING
step "under leases"
sfair lease

# ---- no removal while slurm.conf names them ---------------------------------------
! apt_get remove astraea-slurmctld || fail "removed while it is needed"
grep -A1 'names plugins of this package' /tmp/apt.log
installed astraea-slurmctld || fail "not installed any more"
restart_ctld
step "removal refused"

# ---- a new micro release of Slurm without plugins for it ---------------------------
next_slurm "$next"
repo_update
apt_get upgrade || fail "$(cat /tmp/apt.log)"
[[ $(version_of slurmctld) == "$release"-* ]] || fail "upgrade took Slurm along"
grep -A1 'kept back' /tmp/apt.log
if command -v unattended-upgrade >/dev/null; then
	echo 'Unattended-Upgrade::Origins-Pattern { "origin=*"; };' \
		>/etc/apt/apt.conf.d/99all
	echo "--- unattended-upgrade"
	unattended-upgrade -v >/tmp/apt.log 2>&1 || :
	grep -E 'kept back|slurm' /tmp/apt.log || :
	[[ $(version_of slurmctld) == "$release"-* ]] ||
		fail "unattended-upgrade took Slurm along: $(cat /tmp/apt.log)"
	installed astraea-slurmctld || fail "and removed the plugins"
fi
echo "--- apt-get full-upgrade"
apt_get full-upgrade || :
grep -E '^(The following packages|  .*slurm)|names plugins' /tmp/apt.log || :
[[ $(version_of slurmctld) == "$release"-* ]] ||
	fail "full-upgrade took Slurm along: $(cat /tmp/apt.log)"
installed astraea-slurmctld || fail "full-upgrade removed the plugins"
dpkg --audit
restart_ctld
step "Slurm $next is there, plugins are not: all stays"

# ---- with plugins for it ---------------------------------------------------------
repack "$built"/astraea-slurmctld_*.deb "$version+slurm$next" \
	"s/$release~/$next~/; s/<< ${release%.*}.[0-9]*~/<< ${next%.*}.$((${next##*.} + 1))~/"
repo_update
apt_get full-upgrade || fail "$(cat /tmp/apt.log)"
[[ $(version_of slurmctld) == "$next"-* ]] || fail "Slurm was not upgraded"
[[ $(version_of astraea-slurmctld) == *"$next" ]] || fail "the plugins were not"
unpacked=$(grep -n 'Unpacking astraea-slurmctld' /tmp/apt.log | cut -d: -f1)
restarted=$(grep -n 'Setting up slurmctld' /tmp/apt.log | cut -d: -f1)
((unpacked < restarted)) || fail "slurmctld restarts before its plugins are there"
until_true 30 "slurmctld answers" ctld_answers
until_true 30 "the engine" engine_answers
step "Slurm $next with its plugins"

# ---- back to stock ---------------------------------------------------------------
stock_lines
restart_ctld
apt_get purge astraea-slurmctld || fail "$(cat /tmp/apt.log)"
grep 'are left' /tmp/apt.log || fail "purge does not say what it leaves"
ls "$state"/astraea* >/dev/null || fail "purge removed the state"
restart_ctld
until_true 200 "two jobs run" bash -c '(($(squeue -h -t R | wc -l) == 2))'
step "stock again"
echo "scene: done"
