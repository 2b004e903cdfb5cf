#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Devices of MIG, emulated as Slurm's AutoDetect names them: whole units of a
# pool of their own, each charged as the part of a GPU that GPUWeight says, with
# leases, recalls and requeues as GPUs have them. A pool of both kinds is refused
# with the reason. One line "ok NAME" each.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu
	Pool=mig Partitions=mig AllowNoLease=yes GPUWeight=1g.10gb:0.125,3g.40gb:0.5
	RoundInterval=1
	LeaseTerm=6
	CheckpointGrace=3
EOT
# n1 has two whole GPUs; n2 one that is cut in four and one.
start_cluster --accounting --nodes 2 --gpus 2 --cpus 16 --astraea "$conf" \
	--slurm "PartitionName=gpu Nodes=n1 Default=YES MaxTime=INFINITE" \
	--slurm "PartitionName=mig Nodes=n2 MaxTime=INFINITE" \
	--slurm AccountingStorageTRES=gres/gpu,gres/gpu:1g.10gb,gres/gpu:3g.40gb \
	--node 'n1 Gres=gpu:h100:2' --node 'n2 Gres=gpu:1g.10gb:4,gpu:3g.40gb:1'
rm -f "$conf"
etc=$CLUSTER_DIR/etc/astraea.conf
for name in red blue; do
	sacctmgr -i add account name="$name" >/dev/null
	sacctmgr -i add user root account="$name" >/dev/null
done

# of ACCOUNT KEY: of its row in pool mig.
of() {
	sfair tenant --json | python3 -c '
import json, sys
print(*("%.3f" % t[sys.argv[2]] for t in json.load(sys.stdin)["tenants"]
        if t["name"] == sys.argv[1] and t["pool"] == "mig"))' "$1" "$2"
}
is() { [[ $(of "$1" "$2") == "$3" ]]; }
running() { (($(squeue -h -t R -p mig -A "$1" | wc -l) == $2)); }

cat >"$CLUSTER_DIR/work.sh" <<-'EOT'
	#!/bin/bash
	trap 'echo checkpoint; exit 85' TERM
	echo "on $CUDA_VISIBLE_DEVICES of ${SLURM_JOB_GPUS-none}"
	while :; do sleep 1000 & wait; done
EOT
work() { submit -p mig --signal=B:TERM --open-mode=append "$@" "$CLUSTER_DIR/work.sh"; }

large=$(work -A red --gres=gpu:3g.40gb:1)
small=()
for _ in 1 2 3 4; do small+=("$(work -A red --gres=gpu:1g.10gb:1)"); done
wait_for 30 running red 5
wait_for 20 is red alloc_gpus 1.000
check_eq "half of the pool's GPUs, as they are charged" 0.500 "$(of red quota_gpus)"
check_eq "devices of the large one" "on 4 of 4" "$(job_log "$large")"
ok "each is the part of a GPU that it is"

# Blue is entitled to half of a GPU: red gives its large device back, or its
# small ones, whichever blue asks for.
blue=$(work -A blue --gres=gpu:3g.40gb:1)
wait_for 40 job_is "$blue" RUNNING
wait_for 20 is blue alloc_gpus 0.500
wait_for 20 job_is "$large" PENDING
[[ $(job_log "$large") == *checkpoint* ]] || fail "it was told nothing"
sfair why "$large" | grep -i 'ahead\|line\|rank' >/dev/null ||
	fail "sfair why: $(sfair why "$large")"
ok "a lease ends for who is entitled to it"
for id in "${small[@]}"; do
	check_eq "requeues of job $id, whose device is of no use to it" 0 \
		"$(job_field "$id" Restarts)"
done
scancel "$blue"
wait_for 30 job_is "$large" RUNNING

# The small ones are of no use to it either where the large one is not to be had.
scancel "$large"
wait_for 30 running red 4
keeper=$(work -A red --lease=none --gres=gpu:3g.40gb:1)
wait_for 30 job_is "$keeper" RUNNING
blue=$(work -A blue --gres=gpu:3g.40gb:1)
sleep 20
check_eq "the large one is not to be had" PENDING "$(job_state "$blue")"
for id in "${small[@]}"; do
	check_eq "requeues of job $id for nothing" 0 "$(job_field "$id" Restarts)"
done
ok "nobody gives a device back for one who needs another"

# Two of a type, one after the other, on --gpus and --gres alike; a gang of all.
scancel "$keeper" "$blue"
gang=$(work -A blue --gpus=1g.10gb:4 -N 1)
wait_for 60 job_is "$gang" RUNNING
wait_for 20 is blue alloc_gpus 0.500
scancel "$gang"
range=$(work -A blue --gpus=1g.10gb:3 --gpu-range=1-3)
wait_for 60 job_is "$range" RUNNING
scancel "$range" "${small[@]}"
wait_for 30 running red 0
sfair lease >/dev/null || fail "sfair lease"
ok "gangs and elastic jobs"

refused() {
	local text
	! text=$(sbatch -p mig --gres="$2" --wrap true 2>&1) || fail "$2: $text"
	[[ $text == *"$1"* ]] || fail "$2: $text"
}
refused "2 GPUs of type 3g.40gb on one node: no node of partition mig has more than 1" gpu:3g.40gb:2
refused "1 GPU of type h100: all of partition mig has 0" gpu:h100:1
any="GPUs are leased in parts of several sizes here"
refused "$any: say of which type, --gres=gpu:TYPE:N" gpu:1
! text=$(sbatch -p mig --gpu-range=1-2 --wrap true 2>&1) && [[ $text == *"$any"* ]] ||
	fail "--gpu-range: $text"
! text=$(sbatch -p mig --gres=gpu:1g.10gb:1 --exclusive --wrap true 2>&1) &&
	[[ $text == *"whole nodes would come with all of them"* ]] ||
	fail "--exclusive: $text"
ok "what does not exist, or is not said, is refused"

# Both kinds in one pool.
cp "$etc" "$etc.good"
echo "Pool=all Partitions=gpu,mig" >"$etc"
reason="node n2 has devices of MIG, gpu:1g.10gb, and node n1 whole GPUs, gpu:h100"
text=$(sfair check 2>&1) && fail "accepted: $text"
[[ $text == *"pool all: $reason: "* ]] || fail "sfair check: $text"
scontrol reconfigure
mixed() { sfair diag | grep -F "$reason" >/dev/null; }
wait_for 20 mixed
errors_of_ours | grep -F "$reason" >/dev/null || fail "the log does not say it"
[[ $(sfair tenant -h --pool=mig -o tenant 2>/dev/null; echo $?) == *0 ]] ||
	fail "the old values do not stay"
cp "$etc.good" "$etc"
sed -i 's/ GPUWeight.*/ GPUWeight=3g.40gb:0.5/' "$etc"
text=$(sfair check 2>&1) || fail "sfair check: $text"
one="GPUWeight does not name gpu:1g.10gb of node n2, a device of MIG"
[[ $text == *"pool mig: $one"* ]] || fail "sfair check: $text"
scontrol reconfigure
warned() { sfair diag | grep -F "$one" >/dev/null; }
wait_for 20 warned
ok "pools of both kinds are refused"
