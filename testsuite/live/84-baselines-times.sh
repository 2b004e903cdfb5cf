#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Baselines in slurmctld: the rules of those that look at how long jobs run.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/baselines.sh
. "$(dirname "$0")/../lib/baselines.sh"

baseline_cluster srtf

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
