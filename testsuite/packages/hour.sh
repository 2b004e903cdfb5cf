#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# doc/admins.md, "Install on a cluster" and "Go back", word for word: the blocks are typed
# as they stand, by an admin of a stock cluster on which two users' jobs run. It runs
# as root in a Debian root of its own: testsuite/packages/try.
#
# usage: hour.sh FOLDER    not used
set -euo pipefail
here=$(dirname "$0")
. "$here/stock.sh"
trap stock_down EXIT
cp -r /try/src/astraea /root/
cd /root/astraea
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/99yes

# block HEADING TEXT: the indented lines that follow the line with TEXT below HEADING.
block() {
	awk -v heading="## $1" -v text="$2" '
		/^## / { here = $0 == heading; found = 0 }
		here && found == 2 && !/^    / && NF { exit }
		here && found && /^    / { found = 2; sub(/^ +/, ""); print }
		here && !found && index($0, text) { found = 1 }
	' doc/admins.md
}

# says WHAT TEXT COMMAND...: its output is shown, and has the text.
says() {
	local what=$1 text=$2 output
	shift 2
	output=$("$@" 2>&1) || fail "$what: $output"
	echo "$output"
	grep -qE "$text" <<<"$output" || fail "$what does not say: $text"
}

# ordinary USER GPUS: a job whose script says nothing of checkpoints.
ordinary() {
	(cd /tmp && runuser -u "$1" -- sbatch --parsable -J ordinary \
		--gres="gpu:$2" -o /dev/null --wrap 'sleep 100000')
}

run_once() {
	local job
	for job in "${stock_jobs[@]}"; do
		is "$job" RUNNING || fail "job $job is $(state_of "$job")"
		scontrol -o show job "$job" | grep >/dev/null ' Restarts=0 ' ||
			fail "job $job was interrupted"
	done
}

stock_up
stock_jobs=("$(ordinary alice 1)" "$(ordinary bob 1)")
until_true 30 "the jobs run" is "${stock_jobs[1]}" RUNNING
shows "stock Slurm with two jobs"
began=$(date +%s)

packages=$(block "Install on a cluster" "From packages")
echo "$packages"
[[ $packages == *dpkg-buildpackage*apt-get\ install* ]] || fail "not the block of doc/admins.md"
bash -euc "$packages" >/tmp/apt.log 2>&1 || fail "$(tail -n 30 /tmp/apt.log)"
echo "packages are there after $(($(date +%s) - began)) s"
run_once

block "Install on a cluster" "1. Write" | tee /etc/slurm/astraea.conf
[[ -s /etc/slurm/astraea.conf ]] || fail "no astraea.conf in doc/admins.md"
says "sfair check" '^2 running job records, of 2 users: they keep' sfair check

lines=$(block "Install on a cluster" "2. In slurm.conf")
echo "$lines"
[[ $lines == *SchedulerType=sched/astraea* ]] || fail "no lines in doc/admins.md"
cp /etc/slurm/slurm.conf /root/old.conf
sed -i '/^SchedulerType=/d' /etc/slurm/slurm.conf
echo "$lines" >>/etc/slurm/slurm.conf
says "sfair check" 'good; pools: 1' sfair check
restart_ctld
engine_answers() { sfair diag >/dev/null 2>&1; }
until_true 30 "the engine's first round" engine_answers
run_once
says "sfair job" 'its run began without leases' sfair job -o jobid,pinned%30
says "sfair doctor" 'the runs of 2 of them began without leases' sfair doctor

new=$(submit alice leased 1)
until_true 60 "the first lease" is "$new" RUNNING
has_lease() { [[ $(sfair lease -nP -j "$new" -o Revocable) == yes ]]; }
until_true 30 "its lease" has_lease
echo "the first lease after $(($(date +%s) - began)) s"
sfair lease
run_once

# ---- back
cp /root/old.conf /etc/slurm/slurm.conf
echo RequeueExit=85 >>/etc/slurm/slurm.conf
restart_ctld
apt-get purge astraea-slurmctld sfair >/tmp/apt.log 2>&1 || fail "$(cat /tmp/apt.log)"
restart_ctld
run_once
is "$new" RUNNING || fail "job $new is $(state_of "$new") after going back"
shows "stock again"
echo "hour: done"
