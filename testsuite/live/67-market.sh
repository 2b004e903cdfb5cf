#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=incentive with a Budget of 0 and an elastic job: tenants have their own shares
# alone, over a kill of slurmctld, too. The elastic job is sold what its tenant's share
# has left, writes its checkpoint and goes on with more. sfair why says what a GPU
# costs.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/market.sh
. "$(dirname "$0")/../lib/market.sh"
market_cluster BatchMax=2 CheckpointGrace=3 Budget=0

job() { submit -A "$1" --gres=gpu:1 --time=60 --wrap 'sleep 1000'; }
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && [[ $(job_field "$1" TresPerJob) == *:"$2" ]]
}

cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
echo "run $ASTRAEA_GPUS after $ASTRAEA_GPUS_BEFORE"
trap 'echo "checkpoint at $ASTRAEA_GPUS"; exit 85' TERM
while :; do sleep 1000 & wait; done
EOT

# ---- Shares are 1, 2 and 1: of b's two GPUs its elastic job has one.

first=$(job a)
second=$(job a)
rigid=$(job b)
elastic=$(submit -A b --time=60 --gpu-range=1-2 --signal=B:TERM@60 \
	--open-mode=append "$CLUSTER_DIR/work.sh")
wait_for 60 job_is "$first" RUNNING
wait_for 20 job_is "$rigid" RUNNING
wait_for 20 has "$elastic" 1
check "a has no credits" are a '== 0'
poor() { [[ $(why "$second") == *" costs 0.003788, and its tenant a has 0 credits"* ]]; }
wait_for 20 poor
sfair why "$second"
check_eq "its state" PENDING "$(job_state "$second")"
slurm_saves "$first"
restart_slurmctld KILL
kept() { job_is "$first" RUNNING && job_is "$rigid" RUNNING; }
wait_for 30 kept
# Each window is sold anew, and nobody buys anything.
for _ in {1..22}; do
	(($(squeue -h -t R | wc -l) <= 3)) || fail "a job runs that nobody paid"
	sleep 1
done
check "a has credits" are a '== 0'
ok no-credits-no-purchase

# ---- Its tenant's share has room for more of the elastic job.

scancel "$rigid"
wait_for 60 has "$elastic" 2
resized() { [[ $(job_log "$elastic") == *"checkpoint at 1"*"run 2 after 1"* ]]; }
wait_for 20 resized
ok resized
