#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Gres=shard: parts of GPUs under every policy. What a job is given lies on one
# GPU, of none more is given than it has; a job for which no GPU has enough left
# gets those of leases that end; checkpoint, requeue and a kill of slurmctld as
# with GPUs; a tenant is charged with the part of a GPU that it had; whole GPUs,
# and shards elsewhere that lie on the pool's GPUs, are refused.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Gres=shard Policy=ltgf LeaseTerm=3600
	RoundInterval=1
	SlotLength=10
	RecallAfter=0
	NoLeaseGPUs=none
	CheckpointGrace=3
EOT
# n1 and n2 have two GPUs in four parts each, n3 two whole ones. Of the two of
# c1 nobody is a manager.
start_cluster --accounting --nodes 3 --gpus 2 --cpus 16 --astraea "$conf" \
	--slurm GresTypes=gpu,shard \
	--slurm AccountingStorageTRES=gres/gpu,gres/shard \
	--slurm "PartitionName=gpu Nodes=n[1-2] Default=YES MaxTime=INFINITE" \
	--slurm "PartitionName=whole Nodes=n3" \
	--slurm "PartitionName=over Nodes=n1,c1" \
	--node 'n1 Gres=gpu:a100:2,shard:8' --node 'n2 Gres=gpu:a100:2,shard:8' \
	--node 'c1 Gres=gpu:v100:2,shard:8'
rm -f "$conf"
for name in red blue; do
	sacctmgr -i add account name="$name" >/dev/null
	sacctmgr -i add user root account="$name" >/dev/null
done

# Where it runs, "n1 0": node and device; and on how many shards.
cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
trap 'echo "checkpoint"; exit 85' TERM
echo "on $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES with $SLURM_SHARDS_ON_NODE"
while [[ ! -e $CLUSTER_DIR/over-$SLURM_JOB_NAME ]]; do sleep 0.2; done
EOT
work() { # NAME OPTION...
	submit -J "$1" --export=ALL --signal=B:TERM@5 --open-mode=append "${@:2}" \
		"$CLUSTER_DIR/work.sh"
}
says() { [[ $(job_log "$1" 2>/dev/null) == *"$2" ]]; }
idle() { [[ -z $(squeue -h) ]]; }

# ---- Submission.

# refused TEXT OPTION...
refused() {
	if sbatch -o /dev/null "${@:2}" --wrap 'exec sleep 1' \
		>"$CLUSTER_DIR/said" 2>&1; then
		fail "accepted: ${*:2}"
	fi
	grep -qF -- "$1" "$CLUSTER_DIR/said" ||
		fail "${*:2}: $(<"$CLUSTER_DIR/said")"
}
parts="GPUs are leased in parts here: ask for them with --gres=shard:N"
refused "$parts" --gres=gpu:1
refused "$parts" --gpus=1
refused "$parts" --gpu-range=1-4
refused "$parts" --workers=1-4 --ps=1
refused "$parts" --exclusive
refused "$parts" -n 2 --ntasks-per-gpu=1
refused "whole nodes would come with all of them" --gres=shard:1 --exclusive
refused "5 shards on one node: no GPU of partition gpu has more than 4" \
	--gres=shard:5
refused "3 nodes with 4 shards each: partition gpu has 2 such nodes" \
	-N 3 --gres=shard:4
refused "1 shard of type v100: all of partition gpu has 0" --gres=shard:v100:1
refused "the GPUs of partition over are leased through another partition" \
	-p over --gres=shard:1
refused "the GPUs of partition over are leased through another partition" \
	-p over --gres=gpu:1
ok refusals

foreign=$(submit -p cpu --gres=shard:3 --wrap 'exec sleep 1000')
wait_for 20 job_is "$foreign" RUNNING
sfair job --json | grep >/dev/null "\"id\": *$foreign\b" && fail "it is none of ours"
scancel "$foreign"
ok elsewhere-as-stock

# ---- Four jobs of three shards have a GPU each, so one of two has to wait for
# ---- a lease's end, although five are idle; one of one shard has not.

scontrol update partition=gpu State=DOWN
three=()
for i in 1 2 3 4; do three+=("$(work "three$i" -A red --gres=shard:3)"); done
scontrol update partition=gpu State=UP
for id in "${three[@]}"; do wait_for 20 says "$id" "with 3"; done
places=$(for id in "${three[@]}"; do job_log "$id"; done | cut -d' ' -f2,3 | sort)
check_eq "a GPU each" "n1 0,n1 1,n2 0,n2 1" "$(paste -sd, <<<"$places")"
one=$(work one -A blue --gres=shard:1)
wait_for 20 says "$one" "with 1"
two=$(work two -A blue --gres=shard:a100:2)
collected() { [[ $(job_reason "$two") == "Lease: GPUs are being collected" ]]; }
wait_for 20 collected
told() {
	why=$(sfair why "$two" | tr -s '\n ' ' ')
	[[ $why == *"the end of the lease of job "* ]]
}
wait_for 20 told
echo "$why"
ctld_log "JobId=$two is not started" && fail "it was started where it could not"
# tenant NAME MEMBER: of sfair tenant.
tenant() {
	sfair tenant --json | python3 -c '
import json, sys
print(*(t[sys.argv[2]] for t in json.load(sys.stdin)["tenants"]
        if t["name"] == sys.argv[1]))' "$@"
}
check_eq "twelve quarters" 3 "$(tenant red alloc_gpus | xargs printf %.3g)"
ok one-gpu-each

# The leases that began before end when they would have.
set_conf LeaseTerm 10
touch "$CLUSTER_DIR/over-three3"
wait_for 30 says "$two" "with 2"
ok starts-when-one-has-ended

# ---- Its leases are of ten seconds: who waits comes on, it is told to checkpoint.

late=$(work late -A blue --gres=shard:4)
wait_for 60 says "$late" "with 4"
wait_for 20 says "$two" checkpoint
slurm_saves "$late"
restart_slurmctld KILL
back() { [[ $(squeue -h -t R -o %i | wc -l) -ge 4 ]]; }
wait_for 60 back
for name in one two three1 three2 three4 late; do touch "$CLUSTER_DIR/over-$name"; done
wait_for 120 idle
for id in "${three[@]}" "$one" "$two" "$late"; do
	wait_for 20 job_is "$id" COMPLETED
done
ok checkpoints-and-a-kill

# ---- Charged is the part of GPUs that it was: a quarter each.

shard_sec() { # ACCOUNT
	sacct -nXPD -A "$1" -S "$(date -d '-1 hour' +%FT%T)" \
		-o elapsedraw,alloctres | awk -F'|' \
		'match($2, /gres\/shard=[0-9]+/) {
			sum += $1 * substr($2, RSTART + 11, RLENGTH - 11)
		} END { print sum / 4 }'
}
# charged ACCOUNT: by Astraea, less by sacct, to the second.
charged() {
	python3 -c 'import sys; print(round(float(sys.argv[1]) - float(sys.argv[2])))' \
		"$(tenant "$1" alloc_gpu_sec)" "$(shard_sec "$1")"
}
equal() {
	[[ $(charged red) =~ ^-?[0-2]$ && $(charged blue) =~ ^-?[0-2]$ ]]
}
wait_for 20 equal
ok charged-as-booked

# ---- All policies: two shards on each of one to two nodes, and one that waits.

set_conf LeaseTerm 60
for policy in themis incentive oasis ogasched ltgf ltgf+themis ltgf+incentive \
	ltgf+oasis ltgf+ogasched; do
	set_conf Policy "$policy"
	wide=$(work "wide-$policy" -A red -N 1-2 --gres=shard:2)
	full=$(work "full-$policy" -A blue --gres=shard:4)
	wait_for 60 says "$wide" "with 2"
	wait_for 60 says "$full" "with 4"
	touch "$CLUSTER_DIR/over-wide-$policy" "$CLUSTER_DIR/over-full-$policy"
	wait_for 60 idle
	ok "$policy"
done

# ---- A node whose GPUs have no parts is nobody's: neither a share of its GPUs
# ---- nor a place for neighbours.

scontrol update partition=gpu nodes='n[1-3]'
near=$(work near -A red --gres=shard:1 -w n1)
wait_for 20 says "$near" "with 1"
half_of_four() { [[ $(tenant red quota_gpus) == 2 ]]; }
wait_for 20 half_of_four
pair=$(work pair -A blue -N 2 --contiguous --gres=shard:2)
wait_for 20 says "$pair" "with 2"
touch "$CLUSTER_DIR/over-near" "$CLUSTER_DIR/over-pair"
wait_for 60 idle
scontrol update partition=gpu nodes='n[1-2]'
ok node-without-parts

# ---- With a weight, half of a GPU that counts two counts one.

set_conf GPUWeight a100:2
half=$(work half -A red --gres=shard:2)
weighed() { [[ $(tenant red alloc_gpus | xargs printf %.3g) == 1 ]]; }
wait_for 20 says "$half" "with 2"
wait_for 20 weighed
ok weight

# ---- A pool that goes back to whole GPUs leaves what runs to Slurm.

set_conf Gres gpu
taken() { # the file is read in a moment
	whole=$(submit -A blue --gres=gpu:1 --wrap 'exec sleep 1000' 2>/dev/null)
}
wait_for 20 taken
runs_beside() {
	job_is "$whole" RUNNING && job_is "$half" RUNNING &&
		sfair job --json | grep >/dev/null "\"id\": *$whole\b"
}
wait_for 20 runs_beside
# Three GPUs are whole. The fourth is not given while a part of it is held.
rest=$(submit -A blue --gres=gpu:2 --wrap 'exec sleep 1000')
last=$(submit -A blue --gres=gpu:2 --wrap 'exec sleep 1000')
wait_for 20 job_is "$rest" RUNNING
sleep 3
job_is "$last" PENDING || fail "it has a GPU of which a part is held"
ctld_log "JobId=$last is not started" && fail "it was started where it could not"
# sfair says of what is left to Slurm that its pool has none such.
why=$(sfair why "$half" | tr -s '\n ' ' ')
[[ $why == *"shares them out otherwise, whole or in parts"* ]] ||
	fail "whose it is: $why"
touch "$CLUSTER_DIR/over-half"
wait_for 20 job_is "$half" COMPLETED
ok back-to-whole-gpus

# ---- Whole GPUs, so many of each node, where a first one is held and nodes have
# ---- parts, too.

scancel "$whole" "$rest" "$last"
wait_for 20 idle
first=$(submit -A blue --gres=gpu:1 --wrap 'exec sleep 1000')
wait_for 20 job_is "$first" RUNNING
others=$(submit -A blue --gpus=3 -N 2 --wrap 'exec sleep 1000')
wait_for 20 job_is "$others" RUNNING
ok whole-gpus-of-nodes-with-parts
