#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job is charged with what it keeps from others: one GPU with all CPUs, or all
# memory, of a node of eight is eight; so who hogs them has its turn as if it had
# the GPUs. By TRESBillingWeights where the partition weighs GPUs; ChargeBlocked=no
# counts devices. One line "ok NAME" for each.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
options="RoundInterval=1 LeaseTerm=20 CheckpointGrace=2 RecallAfter=5"
printf '%s\n' "Pool=gpu Partitions=gpu $options" \
	"Pool=turns Partitions=turns $options" >"$conf"
start_cluster --needs select=CR_Core_Memory --accounting --nodes 4 --gpus 8 --cpus 16 --memory 64000 \
	--astraea "$conf" --slurm AccountingStorageTRES=gres/gpu \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES State=UP' \
	--slurm 'PartitionName=turns Nodes=n[3-4] State=UP'
rm "$conf"
for a in hog lean; do
	sacctmgr -i -Q add account $a >/dev/null
	sacctmgr -i -Q add user root account=$a >/dev/null
done

# ---- Two hogs of a node each against jobs of eight GPUs, while all below goes on.
for _ in 1 2; do
	submit -p turns -A hog --gres=gpu:1 -c 16 --wrap 'exec sleep 1000' >/dev/null
	submit -p turns -A lean --gres=gpu:8 -c 16 --wrap 'exec sleep 1000' >/dev/null
done
turns_over=$((SECONDS + 80))

tenant() { sfair tenant --pool=gpu -nP "$@" 2>/dev/null; }
gpus() { tenant -A "$1" --format=GPUs; }
gpus_are() { [[ $(gpus "$1" | cut -d. -f1) == "$2" ]]; }
expect() { # ACCOUNT GPUS WHAT
	wait_for 20 gpus_are "$1" "$2" || fail "$3: $1 has $(gpus "$1"), not $2"
}
run() { # ACCOUNT OPTION...: a job that runs
	local id account=$1
	shift
	id=$(submit -A "$account" "$@" --wrap 'exec sleep 1000')
	wait_for 30 job_is "$id" RUNNING || fail "$*: $(job_state "$id")"
	echo "$id"
}
over() { # WAIT until the account has nothing
	scancel -p gpu -A "$1"
	expect "$1" 0 "after scancel"
}

run lean --gres=gpu:2 -c 4 >/dev/null
expect lean 2 "two GPUs and their CPUs"
over lean
run hog --gres=gpu:1 -c 16 --mem=1000 >/dev/null
expect hog 8 "a GPU with all CPUs"
fair=$(tenant -A hog --format=Demand)
check_eq "its demand" 8 "${fair%.*}"
over hog
run hog --gres=gpu:1 -c 1 --mem=32000 >/dev/null
expect hog 4 "a GPU with half of the memory"
over hog
ok hogs-are-charged

# ---- With GPUs free beside them, hogs of CPUs and of memory give way, too.
gives_way() { # NAME HOG-OPTION... -- LEAN-OPTION...
	local name=$1 id hog=()
	shift
	while [[ $1 != -- ]]; do hog+=("$1") && shift; done
	shift
	run hog --gres=gpu:1 "${hog[@]}" >/dev/null
	run hog --gres=gpu:1 "${hog[@]}" >/dev/null
	id=$(submit -A lean --gres=gpu:1 "$@" --wrap 'exec sleep 1000')
	wait_for 60 job_is "$id" RUNNING || fail "$name: $(job_state "$id")"
	over hog
	over lean
	ok "$name"
}
gives_way hogs-of-cpus -c 16 -- -c 4
gives_way hogs-of-memory --mem=63000 -c 2 -- --mem=4000 -c 2

# ---- Suspended, a job keeps its GPUs and memory; its CPUs are others'.
hog=$(run hog --gres=gpu:1 -c 16 --mem=16000)
expect hog 8 "a GPU with all CPUs"
node=$(job_field "$hog" NodeList)
scontrol suspend "$hog"
wait_for 20 job_is "$hog" SUSPENDED
expect hog 2 "suspended, with a quarter of the memory"
check_eq "its demand" 2 "$(tenant -A hog -o Demand | cut -d. -f1)"
had() { tenant -A hog --format=Alloc -t seconds | cut -d. -f1; }
since=$(had)
grew() { (($(had) >= since + 4)); }
wait_for 20 grew
lean=$(run lean -w "$node" --gres=gpu:2 -c 8)
check_eq "where the CPUs are" "$node" "$(job_field "$lean" NodeList)"
expect lean 4 "two GPUs with half of the CPUs"
expect hog 2 "suspended, with another on its CPUs"
scontrol resume "$hog"
wait_for 20 job_is "$hog" RUNNING
expect hog 8 "resumed"
expect lean 4 "beside one that was resumed"
scontrol suspend "$hog"
wait_for 20 job_is "$hog" SUSPENDED
expect hog 2 "suspended again"
restart_slurmctld
expect hog 2 "suspended, after a restart"
over lean
over hog
idle() { scontrol -d show node "$node" | grep >/dev/null 'CPUAlloc=0 ' &&
	scontrol -d show node "$node" | grep >/dev/null 'GresUsed=gpu:[^ ]*:0('; }
wait_for 20 idle
check_eq "numbers below 0" "" "$(sfair tenant -nP | grep -e '|-[0-9]' || :)"
ok suspended

# ---- By the partition's weights: a CPU is a quarter of a GPU there.
scontrol update partitionname=gpu TRESBillingWeights=CPU=1,GRES/gpu=4
run hog --gres=gpu:1 -c 8 >/dev/null
expect hog 2 "eight CPUs by TRESBillingWeights"
over hog
# A node is its GPUs, whatever its CPUs are worth: before it runs, too.
scontrol update partitionname=gpu TRESBillingWeights=CPU=1,GRES/gpu=1
run lean --gres=gpu:8 -c 16 >/dev/null
run lean --gres=gpu:8 -c 16 >/dev/null
demand() { tenant -A hog -o Demand | cut -d. -f1; }
demands() { [[ -n $(demand) && $(demand) != 0 ]]; }
submit -A hog --gres=gpu:1 -c 16 --wrap 'exec sleep 1000' >/dev/null
wait_for 20 demands || fail "no demand of $(demand)"
check_eq "the demand for all CPUs of a node" 8 "$(demand)"
over hog
over lean

# ---- Each account has half of the other two nodes.
are_over() { ((SECONDS >= turns_over)); }
wait_for 90 are_over
read -r hog lean < <(for a in hog lean; do
	sfair tenant --pool=turns -nP -A $a --format=Alloc -t seconds
done | xargs)
echo "hog $hog, lean $lean GPU seconds"
check "each has about half" awk -v a="$hog" -v b="$lean" \
	'BEGIN { exit !(a > .35 * (a + b) && b > .35 * (a + b)) }'
ok hogs-take-turns

# ---- By devices.
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=20 CheckpointGrace=2 ChargeBlocked=no" \
	>"$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
run hog --gres=gpu:1 -c 16 >/dev/null
expect hog 1 "ChargeBlocked=no"
ok weights-and-devices
