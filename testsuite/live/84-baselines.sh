#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Baselines in slurmctld. Policy=fifo: who does not fit blocks those behind it,
# nobody is stopped, and leases have no end; one that could not run if it were
# alone blocks nobody. A restart changes nothing; under ltgf leases end again.
# Then the rule of each of the others.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=fifo RoundInterval=1 LeaseTerm=10 CheckpointGrace=2 MinRunTime=1
	Tenant=a Accounts=a Weight=1
	Tenant=b Accounts=b Weight=1
EOT
start_cluster --nodes 2 --gpus 4 --astraea "$conf" \
	--node 'n1 Gres=gpu:a100:4' --node 'n2 Gres=gpu:a100:4'
rm -f "$conf"

job() { submit --gres="gpu:$1" -A a "${@:2}" --wrap 'sleep 900'; }
lease_end() { sfair job -j "$1" --json | python3 -c '
import json, sys
print(json.dumps(json.load(sys.stdin)["jobs"][0]["lease_end_sec"]))'; }
# Not of a job that sfair does not know yet.
has_lease_end() { [[ $(lease_end "$1" 2>/dev/null) == [0-9]* ]]; }

first=$(job 3)
wait_for 10 job_is "$first" RUNNING
large=$(job 4 -N 2 --ntasks-per-node=1) # all of both nodes
small=$(job 1)
sleep 3
check_eq "who does not fit" PENDING "$(job_state "$large")"
check_eq "behind who does not fit" PENDING "$(job_state "$small")"
ok the-first-blocks

# Longer than a term, and over a restart.
restart_slurmctld
sleep 12
check_eq "after a term" RUNNING "$(job_state "$first")"
check_eq "its restarts" 0 "$(job_field "$first" Restarts)"
check_eq "the end of its lease" null "$(lease_end "$first")"
check_eq "behind who does not fit, after a restart" PENDING \
	"$(job_state "$small")"
ok no-lease-ends

# Without the node that it needs it blocks nobody.
scontrol update NodeName=n2 State=DRAIN Reason=test
wait_for 10 job_is "$small" RUNNING
scontrol update NodeName=n2 State=RESUME
scancel "$small" "$first"
wait_for 20 job_is "$large" RUNNING
ok who-cannot-run-blocks-nobody

# Under ltgf its lease ends, and one that waits has its turn.
waits=$(job 4)
set_conf Policy ltgf
wait_for 10 has_lease_end "$large"
wait_for 60 job_is "$waits" RUNNING
ok another-policy-ends-leases

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
# Another policy, and a cluster without jobs.
policy() {
	scancel -u root
	wait_for 60 clean
	set_conf Policy "$1"
	wait_for 10 policy_is "$1"
}
policy_is() { sfair diag | grep -i >/dev/null "policy.*$1"; }
running() { squeue -h -t R -A "$1" -o %i | wc -l; }
running_are() { [[ "$(running a) $(running b)" == "$1 $2" ]]; }

# All GPUs go to whoever is behind, though a was first; nobody is stopped.
policy drf
all=$(job 4 -N 2 --ntasks-per-node=1)
wait_for 10 job_is "$all" RUNNING
for _ in 1 2 3; do job 2 >/dev/null; done
for _ in 1 2 3; do job 2 -A b >/dev/null; done
sleep 3
check_eq "who runs under drf" "1 0" "$(running a) $(running b)"
scancel "$all"
wait_for 20 running_are 2 2
ok drf

# Each has its half, and what the other leaves idle is not lent.
policy yarn-cs
for _ in 1 2 3; do job 2 >/dev/null; done
wait_for 10 running_are 2 0
sleep 3
check_eq "who runs under yarn-cs" "2 0" "$(running a) $(running b)"
job 3 -A b >/dev/null
wait_for 10 running_are 2 1
ok yarn-cs

restarts() { check_eq "restarts of $1" "$2" "$(job_field "$1" Restarts)"; }

# What the other leaves idle is lent, until the other wants it.
policy hived
own=$(job 4)
lent=$(job 4)
wait_for 10 running_are 2 0
back=$(job 4 -A b)
wait_for 20 job_is "$back" RUNNING
check_eq "what is lent" PENDING "$(job_state "$lent")"
restarts "$lent" 1
restarts "$own" 0
check_eq "the end of its lease" null "$(lease_end "$own")"
ok hived

# One falls into the second queue after 3250 GPU seconds, here of 40 each; then
# another takes its place, who falls, too, and goes on.
policy tiresias
set_conf GPUWeight a100:40
first=$(job 4 -N 2 --ntasks-per-node=1)
wait_for 10 job_is "$first" RUNNING
second=$(job 4 -N 2 --ntasks-per-node=1)
sleep 5
check_eq "within the first queue" RUNNING "$(job_state "$first")"
wait_for 30 job_is "$second" RUNNING
sleep 15
check_eq "in the second queue" RUNNING "$(job_state "$second")"
restarts "$second" 0
restarts "$first" 1
ok tiresias

# Three take turns, each LeaseTerm.
policy gandiva
turns=("$(job 4)" "$(job 4)" "$(job 4)")
has_left() { (($(job_field "$1" Restarts) > 0)); }
for id in "${turns[@]}"; do wait_for 60 has_left "$id"; done
ok gandiva

# The shorter one, by its time limit, takes the place of the longer one at once;
# under srsf the one with fewer GPU minutes to go, though it takes longer.
policy srtf
long=$(job 4 -N 2 --ntasks-per-node=1 -t 20)
wait_for 10 job_is "$long" RUNNING
slow=$(job 4 -t 30)
sleep 3
check_eq "who takes longer" PENDING "$(job_state "$slow")"
short=$(job 4 -t 10)
wait_for 20 job_is "$short" RUNNING
check_eq "who takes longer than another" PENDING "$(job_state "$long")"
ok srtf
policy srsf
large=$(job 4 -N 2 --ntasks-per-node=1 -t 20)
wait_for 10 job_is "$large" RUNNING
slow=$(job 4 -t 30)
wait_for 20 job_is "$slow" RUNNING
restarts "$large" 1
ok srsf

# The shortest first, but nobody is stopped before the 10 minutes are over.
ends_with() {
	local end
	end=$(lease_end "$1" 2>/dev/null) || return
	[[ $end == [0-9]* ]] && ((end % $2 == 0))
}
policy optimus
all=$(job 4 -N 2 --ntasks-per-node=1 -t 60)
wait_for 10 job_is "$all" RUNNING
long=$(job 4 -N 2 --ntasks-per-node=1 -t 30)
short=$(job 4 -t 10)
wait_for 10 ends_with "$all" 600
scancel "$all"
wait_for 20 job_is "$short" RUNNING
check_eq "who takes longer" PENDING "$(job_state "$long")"
ok optimus

# The shortest of the poorer tenant first.
policy allox
job 4 -t 60 >/dev/null
all=$(job 4 -t 60)
wait_for 10 running_are 2 0
job 4 -t 5 >/dev/null
long=$(job 4 -A b -t 30)
short=$(job 4 -A b -t 10)
scancel "$all"
wait_for 20 job_is "$short" RUNNING
check_eq "who runs under allox" "1 1" "$(running a) $(running b)"
check_eq "who takes longer" PENDING "$(job_state "$long")"
ok allox

# Nobody starts before the LeaseTerm is over in which it came, nor beyond its
# tenant's share.
policy batchsche
came=$(date +%s)
first=$(job 4)
second=$(job 4)
wait_for 20 job_is "$first" RUNNING
check "it starts with its batch" test \
	"$(job_field "$first" StartTime | date -f - +%s)" -ge $(((came + 9) / 10 * 10))
sleep 12
check_eq "beyond its share" PENDING "$(job_state "$second")"
ok batchsche

# Who waits longer by what it takes alone is next, each LeaseTerm.
policy ftf
long=$(job 4 -N 2 --ntasks-per-node=1 -t 60)
wait_for 10 job_is "$long" RUNNING
short=$(job 4 -t 1)
wait_for 30 job_is "$short" RUNNING
restarts "$long" 1
ok ftf

# Each has its half by and by, though b came later: a's second job takes turns
# with its first, b's has no other to share with. A restart changes nothing.
policy gandiva-fair
turns=("$(job 4)" "$(job 4)")
wait_for 10 running_are 2 0
late=$(job 4 -A b)
wait_for 30 job_is "$late" RUNNING
sleep 6 # Slurm has saved that
restart_slurmctld
for id in "${turns[@]}"; do wait_for 60 has_left "$id"; done
restarts "$late" 0
ok gandiva-fair

# The first that does not fit, as the larger one, is promised the GPUs of who ends
# in 10 minutes: who takes no longer starts before it, who takes longer does not.
# A restart changes nothing.
policy slurm
first=$(job 3 -N 2 --ntasks-per-node=1 -t 10)
wait_for 10 job_is "$first" RUNNING
large=$(job 4 -N 2 --ntasks-per-node=1 -t 5)
long=$(job 1 -t 30)
short=$(job 1 -t 5)
wait_for 10 job_is "$short" RUNNING
sleep 6
restart_slurmctld
sleep 3
check_eq "who would delay the first" PENDING "$(job_state "$long")"
scancel "$first" "$short"
wait_for 20 job_is "$large" RUNNING
check_eq "who would delay the first" PENDING "$(job_state "$long")"
scancel "$large"
wait_for 20 job_is "$long" RUNNING
ok slurm

# Who is worth less than nothing once it could end is refused and held; of the
# others the one that is worth most is next. A restart changes nothing.
policy rrh
all=$(job 4 -N 2 --ntasks-per-node=1 -t 60)
wait_for 10 job_is "$all" RUNNING
poor=$(job 4 -t 60 --utility=linear:-10,5)
is_refused() { sfair why "$poor" | tr -s '\n ' ' ' | grep >/dev/null 'It was refused .* and is held'; }
wait_for 10 is_refused
plain=$(job 4 -N 2 --ntasks-per-node=1 -t 60)
rich=$(job 4 -N 2 --ntasks-per-node=1 -t 60 --utility=linear:-1,100)
sleep 3
restart_slurmctld
scancel "$all"
wait_for 20 job_is "$rich" RUNNING
check_eq "who is worth less" PENDING "$(job_state "$plain")"
check_eq "who is worth nothing" 0 "$(job_field "$poor" Priority)"
ok rrh

# The others divide the GPUs between elastic jobs.
elastic() { # RANGE OPTION...
	submit --gpus=1 --gpu-range="$1" -A a "${@:2}" --wrap 'sleep 900'
}
gpus() { job_is "$1" RUNNING && [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }

# One of those that run has another number when somebody comes or ends, and nobody
# else. A restart changes nothing.
policy dorm
first=$(elastic 1-8)
wait_for 20 gpus "$first" 8
second=$(elastic 1-8)
wait_for 20 gpus "$first" 4
wait_for 20 gpus "$second" 4
small=$(elastic 1-1)
wait_for 20 gpus "$small" 1
wait_for 20 gpus "$second" 3
sleep 6
restart_slurmctld
sleep 3
check "one that is not changed" gpus "$first" 4
restarts "$first" 1
restarts "$second" 1
scancel "$small"
wait_for 60 gpus "$second" 4 # once slurmctld has heard of it again
restarts "$first" 1
ok dorm

# Whose loss falls most by it, which is the shorter one, each LeaseTerm.
policy slaq
long=$(elastic 1-8 -t 60)
wait_for 20 gpus "$long" 8
short=$(elastic 1-8 -t 10)
wait_for 40 gpus "$short" 7
wait_for 20 gpus "$long" 1
wait_for 10 ends_with "$short" 10
ok slaq

# The smaller demand is met, in proportion to demands, in turns from the fullest node,
# from the emptiest one.
divided() { # POLICY RANGE GPUS...: jobs one after the other, then what they have
	local ids=() id i
	policy "$1"
	shift
	for ((i = 1; i < $#; i += 2)); do
		ids+=("$(elastic "${!i}")")
		wait_for 20 job_is "${ids[0]}" RUNNING
	done
	for id in "${ids[@]}"; do
		wait_for 40 gpus "$id" "$2"
		shift 2
	done
}
divided oga-drf 1-8 2 1-6 6
ok oga-drf
divided oga-fairness 1-8 6 1-4 2
ok oga-fairness
divided oga-binpacking 1-3 3 1-6 1 1-4 4
ok oga-binpacking
divided oga-spreading 1-3 3 1-6 4 1-4 1
ok oga-spreading
