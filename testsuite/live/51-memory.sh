#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A leased job gives memory back while it runs (Slurm 26.05): who lacked it
# starts beside it, its lease goes on, and it asks for the rest only from then on.
. "$(dirname "$0")/../lib/live.sh"

(($(slurm_release) >= 2605)) ||
	skip "a running job's memory is fixed in Slurm $(slurm_version) (26.05)"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 Promise=no
EOT
start_cluster --needs select=CR_Core_Memory --nodes 1 --gpus 4 --astraea "$conf" \
	--slurm PrologFlags=Contain # its step extern is what Slurm resizes
rm "$conf"

job() { submit --gres=gpu:1 --mem="$1" --wrap 'exec sleep 1000'; }
lease_of() { sfair lease -j "$1" -nP -o Phase,Leases,LeaseStart; }
large=$(job 60000)
wait_for 20 job_is "$large" RUNNING
small=$(job 20000)
lacks_memory() { [[ $(reason_long "$small") == *'no node has the memory for it'* ]]; }
wait_for 20 lacks_memory
lease=$(lease_of "$large")

scontrol update jobid="$large" MinMemoryNode=30000
wait_for 20 job_is "$small" RUNNING
check_eq "the lease of $large" "$lease" "$(lease_of "$large")"
check_eq "the memory that is taken" 50000 \
	"$(scontrol -o show node n1 | sed -n 's/.* AllocMem=\([0-9]*\).*/\1/p')"
ok memory-given-back

scontrol requeue "$large"
wait_for 20 job_is "$large" PENDING
third=$(job 40000)
wait_for 20 job_is "$third" RUNNING
scontrol update jobid="$large" StartTime=now
scancel "$small"
lacks() { sfair why "$large" | tr '\n' ' ' | grep >/dev/null 'it lacks memory'; }
wait_for 20 lacks
scancel "$third"
wait_for 20 job_is "$large" RUNNING
check_eq "its memory" 30000M "$(job_field "$large" MinMemoryNode)"
ok memory-of-the-next-run
