#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sbatch --checkpoint-with=PROGRAM, with a checkpointer of the test's own: a job goes
# on after each lease, every step once; one that hangs is over with the grace, and the
# dump before it is kept; what must not be restored, or cannot work, ends the job
# with 124, and its output says why.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	NoLeaseGPUs=none
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=5 CheckpointGrace=4
EOT
start_cluster --needs minage=300 --nodes 2 --gpus 1 --astraea "$conf"
rm -f "$conf"
work=$CLUSTER_DIR/out/work
mkdir -m 777 "$work"

cat >"$work/steps" <<'EOT'
#!/bin/bash
exec 5>>log
i=$1
until [[ -e enough ]]; do echo $((++i)) >&5; sleep 0.1; done
EOT
# All that there is of its state is the last number.
cat >"$work/tool" <<'EOT'
#!/bin/bash
cd "${0%/*}" || exit
case $1 in
check) cat version ;;
dump)
	kill -STOP $(pgrep -s "$3")
	tail -n 1 log >"$2/state"
	[[ ! -e hang ]] || exec sleep 1000 ;;
restore)
	setsid bash ./steps "$(cat "$2/state")" <&- >&- 2>&- &
	echo $! ;;
esac
EOT
chmod +x "$work/tool"
echo tool 1 >"$work/version"
cd "$work" || exit
touch log
chmod 666 log

dumped() {
	submit --uid=games --gres=gpu:1 -N1 --requeue --signal=B:USR1@60 \
		--chdir="$work" "$@"
}
rival() {
	submit --uid=games --no-requeue -N2 --gres=gpu:1 --wrap 'exec sleep 0.1'
}
runs_again() { job_is "$id" RUNNING && [[ $(job_field "$id" Restarts) == "$1" ]]; }
has_more() { (($(wc -l <log) > $1)); }
next() {
	wait_for 30 has_more "$(wc -l <log)"
	rival >/dev/null
	wait_for 60 runs_again "$1"
}
each_step_once() { # of a log that may grow meanwhile
	cp log seen
	cmp seen <(seq "$(wc -l <seen)") >&2 ||
		fail "not every step once: $(<seen)"
}
# Between two runs it is neither of these.
has_ended() { [[ $(job_state "$id") == @(FAILED|COMPLETED|CANCELLED|TIMEOUT) ]]; }
fails_with() {
	wait_for 60 has_ended
	check_eq "state: $(job_log "$id")" FAILED "$(job_state "$id")"
	check_eq "exit code" 124:0 "$(job_field "$id" ExitCode)"
	grep -F "$1" "$CLUSTER_DIR/out/$id" >/dev/null ||
		fail "no \"$1\" in: $(job_log "$id")"
}

id=$(dumped --checkpoint-with="$work/tool" --wrap 'exec bash ./steps 0')
wait_for 30 job_is "$id" RUNNING
next 1
next 2
each_step_once

touch hang
# What a run tries its checkpointer in may be there for a while, too.
before=$(ls -d sfair-checkpoint.*/dump.[01].*)
next 3
# The restore cuts its output, and tells it once more.
wait_for 30 grep -q "has not ended within" "$CLUSTER_DIR/out/$id"
check_eq "its dump" "$before" "$(ls -d sfair-checkpoint.*/dump.[0-2].*)"
rm hang
next 4
each_step_once

wait_for 30 has_more "$(wc -l <log)"
echo tool 2 >version
rival >/dev/null
fails_with "it is of another version: tool 1, here tool 2"
echo tool 1 >version
scontrol requeue "$id"
scontrol update jobid="$id" starttime=now
wait_for 60 runs_again 6
wait_for 30 has_more "$(wc -l <log)"
touch enough
wait_for 30 job_is "$id" COMPLETED
each_step_once
check "the dump stays" eval '! ls -d sfair-checkpoint.* 2>/dev/null'

id=$(dumped --checkpoint-with=/nonesuch --wrap 'exec true')
fails_with "check: /nonesuch: cannot be run: No such file"
! dumped --checkpoint-with="$work/tool" --open-mode=truncate --wrap 'exec true' \
	2>errors || fail "output that is cut is taken"
grep "open-mode=truncate: with --checkpoint-with" errors >/dev/null ||
	fail "$(<errors)"
! submit --gres=gpu:1 --checkpoint-with=cryo --wrap 'exec true' 2>errors ||
	fail "a wrong name is taken"
grep "checkpoint-with=cryo: criu, or the absolute path" errors >/dev/null ||
	fail "$(<errors)"
ok checkpoint-with
