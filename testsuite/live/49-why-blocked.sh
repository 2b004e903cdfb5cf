#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job of 2 GPUs that must not be interrupted is in the way of a gang of the
# whole pool: sfair why begins with what the gang waits for, names that job and its
# end, and shows one time and no promise that cannot be kept; squeue, sfair lease
# and sfair when show the same time, also after a restart of slurmctld. sfair why
# and sfair alone are a line a job; weight 0 is told. One line "ok NAME" for each.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=20 CheckpointGrace=2
	Tenant=a Accounts=a
	Tenant=b Accounts=b
	Tenant=idle Accounts=idle Weight=0
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"

said() { sfair why "$@" 2>/dev/null | tr '\n' ' '; }
answer() { sfair why "$1" 2>/dev/null | head -n 1; }
answers() { [[ $(answer "$1") == *"$2"* ]]; }
says() { # JOB TEXT...
	local text id=$1
	text=$(said "$id")
	shift
	for want; do
		[[ $text == *"$want"* ]] || fail "\"$text\" lacks \"$want\""
	done
}
lacks() { # JOB TEXT...
	local text id=$1
	text=$(said "$id")
	shift
	for bad; do
		[[ $text != *"$bad"* ]] || fail "\"$text\" has \"$bad\""
	done
}

pin=$(as_other sbatch --parsable -A a --no-requeue --gpus=2 -o /dev/null \
	--chdir=/ --wrap 'sleep 600')
wait_for 20 job_is "$pin" RUNNING
gang=$(submit -A b --gpus=4 --wrap 'sleep 600')

# ---- Without a time limit.
wait_for 30 answers "$gang" \
	"waits for the end of job $pin of games, which has no time limit."
said "$gang"
says "$gang" "Job $pin of games (tenant a) has 2 GPUs, must not be interrupted (--no-requeue) and has no time limit." \
	" after job $pin ends." \
	"What would change it: the end of job $pin;" \
	"asking for at most 2 GPUs"
lacks "$gang" 'expected to start' 'was promised' '365 d' rho
check_eq "squeue's start" N/A "$(squeue -h --start -j "$gang" -o %S)"
[[ $(said -v "$gang") == *'divided by the fair share'* ]] ||
	fail "without its lesson: $(said -v "$gang")"
ok no-time-limit

# ---- With one.
scontrol update JobId="$pin" TimeLimit=30
wait_for 90 answers "$gang" 'is expected to start in about '
said "$gang"
says "$gang" "when job $pin of games has ended." 'and may run until '
lacks "$gang" 'Its first start' 'no time limit'
# One time: the job's, which squeue, sfair job and sfair why have. In the last half hour
# of a day that is tomorrow.
same() {
	local start said
	start=$(sfair job -nP -j "$gang" -o Start)
	said=$(answer "$gang")
	[[ $(squeue -h --start -j "$gang" -o %S) == "$start" &&
		($said == *"at ${start#*T}"* ||
			$said == *"at ${start%T*} $(cut -d: -f1,2 <<<"${start#*T}")"*) ]]
}
wait_for 20 same
ok one-time
scontrol update JobId="$pin" TimeLimit=UNLIMITED
wait_for 30 answers "$gang" "waits for the end of job $pin of games, which has no time limit."
ok limit-removed

# ---- Lines of mine.
idle=$(submit -A idle --gpus=1 --wrap 'sleep 600')
wait_for 20 answers "$idle" 'its tenant idle has weight 0'
check_eq "lines of sfair why" 2 "$(sfair why | grep -c '^Job [0-9]* ')"
sfair why
sfair
check "sfair is $(sfair | wc -l) lines" test "$(sfair | wc -l)" -le 10
sfair | grep >/dev/null '^Tenant b in pool gpu: 0 GPUs of a share of 4' ||
	sfair | grep >/dev/null '^Tenant b in pool gpu: ' || fail "sfair: $(sfair)"
as_other sfair | grep >/dev/null "^Job $pin runs and keeps its GPUs until it ends" ||
	fail "sfair of games: $(as_other sfair)"
scancel "$idle"
ok mine

# ---- Once the job has ended the gang starts.
scancel "$pin"
wait_for 60 job_is "$gang" RUNNING
wait_for 20 answers "$gang" 'runs; its lease ends in '
ok starts

# ---- For 20 s after its start slurmctld takes nothing back.
next=$(submit -A a --gpus=4 --wrap 'sleep 600')
wait_for 20 answers "$next" 'expected to start'
restart_slurmctld
begun=$(date +%s)
told() {
	[[ $(said "$next") == *"slurmctld has just started: no running job loses its GPUs before"* ]]
}
late() { (($(date +%s) - begun > 15)); }
seen() { told || late; }
wait_for 30 seen
if told; then
	text=$(said "$next")
	echo "$text"
	[[ $text != *"expected to start in about 0 s"* ]] || fail "$text"
	ok restart
else
	echo "too slow to see the first 20 s"
fi
