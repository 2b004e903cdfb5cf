#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Baselines in slurmctld, tenants and order. Policy=fifo: who does not fit blocks those
# behind it, nobody is stopped, and leases have no end; one that could not run if it
# were alone blocks nobody. A restart changes nothing; under ltgf leases end again.
# Then the rules of those that look at tenants and at what jobs have had.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/baselines.sh
. "$(dirname "$0")/../lib/baselines.sh"

baseline_cluster fifo

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
for id in "${turns[@]}"; do wait_for 60 has_left "$id"; done
ok gandiva
