#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job whose nodes others have reserved, or that names a node that is drained, has
# the reason that stock Slurm gives it, and sfair why names the reservation or the
# node, and the time limit with which it would start. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=60 CheckpointGrace=2" >"$conf"
start_cluster --nodes 3 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n[1-3] Default=YES DefaultTime=10:00 MaxTime=INFINITE State=UP'
rm -f "$conf"

sleeper() { submit "$@" --wrap 'exec sleep 600'; }
runs() { wait_for 30 job_is "$1" RUNNING; }
is() { [[ $(job_reason "$1") == "$2" ]]; }
why() { sfair why "$1" | tr -s ' \n' ' '; }
says() { [[ $(why "$1") == *"$2"* ]]; }
reserve() { scontrol create reservation ReservationName=course users=root "$@" >/dev/null; }
# told JOB TEXT...: it waits as with stock Slurm, and sfair why says these.
told() {
	local id=$1 text
	shift
	wait_for 30 is "$id" ReqNodeNotAvail
	for text; do wait_for 20 says "$id" "$text"; done
	says "$id" 'would not fit' && fail "sfair why: $(why "$id")"
	check_eq "its state" PENDING "$(job_state "$id")"
}

# ---- A reservation to come.

reserve StartTime=now+20minutes Duration=60 Nodes=n1
one=$(sleeper -w n1 --gres=gpu:1 -t 30)
all=$(sleeper -N3 --gres=gpu:1 -t 30)
gpus=$(sleeper --gpus=6 -t 30)
elsewhere=$(sleeper --gres=gpu:1 -t 30)
runs "$elsewhere"
for id in "$one" "$all" "$gpus"; do
	told "$id" '(reservation course), and its time limit of 30 min 0 s reaches into that' \
		'the reservation is over in 1 h' 'so that it ends before the reservation'
done
sfair why --json "$one" | python3 -c 'import json, sys
b = json.load(sys.stdin)["why"]["binds"][0]
assert (b["kind"], b["of"]) == ("reserved", "course"), b
assert 1000 < b["limit"] <= 1200 and b["asked"] == 1800, b' ||
	fail "JSON: $(sfair why --json "$one")"
when=$(sfair when "$one" 2>&1) || true
[[ $when == *"does not start before "* ]] || fail "sfair when: $when"
ok a-reservation-to-come-is-named
change=$(why "$one" | grep -o "scontrol update JobId=$one TimeLimit=[0-9]*")
[[ $change ]] || fail "no time limit is named: $(why "$one")"
$change
runs "$one"
ok the-limit-that-is-named-lets-it-start
scontrol update nodename=n3 state=drain reason=disk
wait_for 30 is "$gpus" 'Lease: would not fit if all leases ended'
says "$gpus" course && fail "the reservation is not why: $(why "$gpus")"
scontrol update nodename=n3 state=resume
ok what-keeps-it-besides-is-told-instead
scancel "$one" "$elsewhere" "$gpus"
scontrol delete ReservationName=course
runs "$all"
scancel "$all"
ok it-starts-when-the-reservation-is-gone

# ---- One that has begun; no time limit helps.

reserve StartTime=now Duration=60 Nodes=n1
one=$(sleeper -w n1 --gres=gpu:1)
told "$one" 'Nodes that it needs are reserved for others (reservation course)' \
	'the end of the reservation course'
says "$one" TimeLimit && fail "no limit helps: $(why "$one")"
scontrol delete ReservationName=course
runs "$one"
scancel "$one"
ok a-reservation-that-has-begun-is-named

# ---- A drained node.

scontrol update nodename=n2 state=drain reason=disk
one=$(sleeper -w n2 --gres=gpu:1)
told "$one" 'It asks by name for n2, which cannot be used now: DRAINED' \
	'the return of n2'
two=$(sleeper -N2 -w n2 --gres=gpu:1)
told "$two" 'It asks by name for n2'
scancel "$two"
ok a-drained-node-is-named
scontrol update JobId="$one" ReqNodeList=
runs "$one"
ok without-the-node-it-starts
scancel "$one"
one=$(sleeper -w n2 --gres=gpu:1)
told "$one" 'It asks by name for n2'
scontrol update nodename=n2 state=resume
runs "$one"
ok the-node-comes-back

# ---- The long form is stock's.

set_conf ReasonDetail yes
scancel "$one"
scontrol update nodename=n2 state=drain reason=disk
one=$(sleeper -w n2 --gres=gpu:1)
wait_for 30 is "$one" 'ReqNodeNotAvail, UnavailableNodes:n2'
ok long-form
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
