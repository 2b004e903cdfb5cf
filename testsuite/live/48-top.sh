#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair top on a terminal, as its user sees it: tenants, nodes, leases and the
# queue with reasons; keys; any size; a slurmctld that is away for a while; and
# a terminal that is as before when it ends.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

export LC_ALL=C
command -v tmux >/dev/null || skip "there is no tmux"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 RecallAfter=0 CheckpointGrace=5
	Tenant=physics Accounts=physics Weight=2
	Tenant=biology Accounts=biology
EOT
start_cluster --nodes 3 --gpus 4 --astraea "$conf"
rm -f "$conf"

terminal() { tmux -S "$CLUSTER_DIR/tmux" -f /dev/null "$@"; }
end() {
	local status=$?
	((!status)) || screen || true
	terminal kill-server 2>/dev/null || true
	live_end "$status"
}
trap end EXIT

screen() { terminal capture-pane -p -t top; }
shows() { [[ $(screen) == *"$1"* ]]; }
lacks() { [[ $(screen) != *"$1"* ]]; }
keys() { terminal send-keys -t top "$@"; }
# expect TEXT: on the screen, soon
expect() { wait_for 20 shows "$1"; }
resize() { terminal resize-window -t top -x "$1" -y "$2"; }
no_line_wraps() {
	(($(screen | wc -L) <= $1)) || fail "a line of more than $1 columns"
}

# What a script does; it must not depend on a terminal.
bad() { # TEXT ARGUMENT...: sfair top says so in one line
	local text=$1 out
	shift
	! out=$(sfair top "$@" 2>&1 </dev/null) || fail "sfair top $*: no error"
	[[ $out == "sfair: error: "*"$text"* && $(wc -l <<<"$out") == 1 ]] ||
		fail "sfair top $*: said '$out'"
}

big=$(submit -A physics --gres=gpu:4 -J big --wrap 'sleep 600')
for _ in 1 2 3; do
	submit -A biology --gres=gpu:2 --wrap 'sleep 600' >/dev/null
done
wait_for 20 job_is "$big" RUNNING
last=$(submit -A physics -N3 --gres=gpu:4 -J $'x\e[2J' --wrap 'sleep 600')
submit -A biology -N3 --gres=gpu:4 --wrap "sleep 600" >/dev/null
held=$(submit -A physics --gres=gpu:1 -H --wrap 'sleep 600')
queued() {
	[[ $(sfair top -b -n1 -w120) == *" 10 held "*" next, GPUs are"*" $held "* ]]
}
wait_for 20 queued

# ---- Batch mode.
out=$(sfair top -b -n2 -d0.5 -w120)
check_eq "two times" 2 "$(grep -c '^sfair top - ' <<<"$out")"
check "the pool" grep -qE '^Pool gpu +12 GPUs +10 held +2 free' <<<"$out"
check "a tenant" grep -qE '^P physics .* 4 .*##' <<<"$out"
check "a node" grep -qE ' n[123] +gpu +up +4 +4 +0 PPPP '"$big:4" <<<"$out"
check "a lease" grep -qE "^P $big .* leased .* ([5-9]|10):[0-9]{2} " <<<"$out"
check "GPUs are collected" grep -qE "^P +1 $last .* next, GPUs are" <<<"$out"
check_eq "gangs that GPUs are collected for" 2 "$(grep -c "next, GPUs are" <<<"$out")"
check "a job that is held" grep -qE "^P +- $held .*JobHeldUser" <<<"$out"
check "blocks in UTF-8" grep -qF "█" \
	<<<"$(LC_ALL=C.UTF-8 sfair top -bn1)"
check "a name that would steer a terminal" grep -qF 'x?[2J' <<<"$out"
check_eq "leases of biology" 3 \
	"$(sfair top -bn1 --view=leases -A biology | grep -c '^B ')"
check_eq "leases of nobody" 0 \
	"$(sfair top -bn1 --view=leases -u games | grep -c '^[BP] ' || true)"
check_eq "sorted by job, the last one first" "$big" \
	"$(sfair top -bn1 --view=leases --sort=-jobid |
		sed -n 's/^[BP] \([0-9]*\) .*/\1/p' | tail -n 1)"
bad "this is no terminal: sfair top -b"
bad "seconds from 0.5 to 3600" -b -d 0.1
bad "--view=x: one of overview, nodes, leases, queue" --view=x
bad "--sort=x: one of JobID, User" --view=leases --sort=x
bad "go with --batch only" -n 3
bad "unknown option --x: see sfair top --help" --x

# ---- A terminal that cannot do it.
terminal new-session -d -s top -x 100 -y 30 'PS1="> " exec bash --norc'
keys "TERM= sfair top; TERM=dumb sfair top; TERM=nix sfair top" Enter
expect "TERM is not set"
expect "TERM=dumb has no full screen"
expect "TERM=nix is not known here"
keys "clear; stty -g >$CLUSTER_DIR/before; sfair top -d1" Enter

# ---- All of it on one screen.
expect "1 Overview  2 Nodes  3 Leases  4 Queue"
expect "P physics"
expect "B biology"
expect " PPPP"
expect "$big "
expect "rank 2 of 2"
expect "q Quit  h Help"
no_line_wraps 100

# ---- Views and keys.
keys 2
wait_for 20 shows "WHOSE"
keys 3
wait_for 20 lacks "WHOSE"
expect "LEFT<"
keys s jobid Enter
expect "JOBID<"
keys R
expect "JOBID>"
keys '>'
expect "USER>"
keys A biology Enter
expect "Accounts biology"
wait_for 20 lacks "P $big"
keys A games Enter
expect "Accounts games"
wait_for 20 lacks "biology  "
keys A Enter
expect "P $big"
keys Tab
expect "JobHeldUser"
keys g w
expect "Why job $last"
expect "Job $last of root (tenant physics)"
keys q
expect "JobHeldUser"
keys G w
expect "Why job $held"
keys q 1 w 99999 Enter
expect "job 99999: no managed job"
keys d 9999 Enter
expect "seconds from 0.5 to 3600"
keys '?'
expect "Space Enter  refresh now"
keys q

# ---- Any size.
resize 60 15
wait_for 20 lacks "1 Overview"
expect "P physics"
expect "q Quit"
no_line_wraps 60
resize 20 5
expect "too small"
resize 100 30
expect "1 Overview"

# ---- Stopped and continued.
keys C-z
expect "Stopped"
keys fg Enter
expect "1 Overview"

# ---- slurmctld goes away: what was known stays, and the error is told.
"${top:?}/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmctld
expect "slurmctld"
expect "P physics"
keys 3
expect "LEFT"
"${top:?}/testsuite/lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 20 shows "q Quit"
expect "P $big"

# ---- The end, by q and by Ctrl-C: the terminal is as it was.
keys q
wait_for 20 lacks "JOBID"
# shellcheck disable=SC2016
keys 'echo status=$?' Enter
expect "status=0"
keys "stty -g | cmp - $CLUSTER_DIR/before && echo same" Enter
expect same
keys "clear; sfair top; echo status=\$?" Enter
expect "1 Overview"
keys C-c
expect "status=0"
keys "stty -g | cmp - $CLUSTER_DIR/before && echo same" Enter
expect same
