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
	Pool=mig Partitions=mig GPUWeight=1g.10gb:0.125,3g.40gb:0.5
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
	while :; do sleep 0.2; done
EOT
work() { submit -p mig --signal=B:TERM --open-mode=append "$@" "$CLUSTER_DIR/work.sh"; }

large=$(work -A red --gres=gpu:3g.40gb:1)
small=()
for i in 1 2 3 4; do small+=("$(work -A red --gres=gpu:1g.10gb:1)"); done
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
scancel "$blue" "$large" "${small[@]}"
wait_for 30 running red 0

# One for any device is charged by the one that it has.
any=$(work -A blue --gres=gpu:1)
wait_for 30 job_is "$any" RUNNING
wait_for 20 test -s "$CLUSTER_DIR/out/$any"
case $(job_log "$any") in
*"of 4") wait_for 20 is blue alloc_gpus 0.500 ;;
*) wait_for 20 is blue alloc_gpus 0.125 ;;
esac
scancel "$any"
ok "one without a type"

refused() {
	local text
	! text=$(sbatch -p mig --gres="$2" --wrap true 2>&1) || fail "$2: $text"
	[[ $text == *"$1"* ]] || fail "$2: $text"
}
refused "2 GPUs of type 3g.40gb on one node: no node of partition mig has more than 1" gpu:3g.40gb:2
refused "1 GPU of type h100: all of partition mig has 0" gpu:h100:1
ok "what does not exist is refused"

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
