#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=incentive with a Budget and an elastic job: with 0 credits tenants have
# their own shares alone, over a kill of slurmctld, too; with some they buy what
# others leave, others have what one pays, and who has nothing left leaves. The
# elastic job is sold what its tenant's share has left, writes its checkpoint and
# goes on with more. sfair why and sfair price say what it costs.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=incentive LendIdle=no Budget=0
	RoundInterval=1
	SlotLength=10
	BatchMax=2
	CheckpointGrace=3
EOT
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
for a in 'a 1' 'b 2' 'c 1'; do
	read -r name share <<<"$a"
	sacctmgr -i add account name="$name" fairshare="$share" >/dev/null
	sacctmgr -i add user root account="$name" >/dev/null
done
sfair() { "$ASTRAEA_BUILDDIR/sfair" "$@"; }
begin=$(date +%s)
job() { submit -A "$1" --gres=gpu:1 --time=60 --wrap 'sleep 1000'; }
credits_of() {
	sfair tenant --json | python3 -c '
import json, sys
for t in json.load(sys.stdin)["tenants"]:
    if t["name"] == sys.argv[1]:
        print(t["credits"])' "$1"
}
are() { awk -v "x=$(credits_of "$1")" "BEGIN { exit !(x != \"\" && x $2) }"; }
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && [[ $(job_field "$1" TresPerJob) == *:"$2" ]]
}

cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
echo "run $ASTRAEA_GPUS after $ASTRAEA_GPUS_BEFORE"
trap 'echo "checkpoint at $ASTRAEA_GPUS"; exit 85' TERM
while :; do sleep 0.2; done
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
why() { sfair why "$1" | tr -s '\n ' ' '; }
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

# ---- Some credits: a buys c's GPU, which c and b are paid for.

sed -i 's/ Budget=0/ Budget=0.01 BudgetRefill=100000000/' \
	"$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
wait_for 60 job_is "$second" RUNNING
wait_for 20 are a '< 0.01'
check "c was given some of it" are c '> 0.01'

full() { [[ $(sfair price -nP -o Used,GPUs,Price | head -n 1) == "4|4|1.000" ]]; }
wait_for 40 full
sfair price
window=("start=$(date -d "@$begin" +%FT%R)" "end=$(date -d +1hour +%FT%R)")
ledger() { sfair tenant Ledger "${window[@]}" -nP accounts="$1" format="$2"; }
paid() { ledger a paid 2>/dev/null | awk '{ s += $1 } END { print s + 0 }'; }
told() { awk -v "x=$(paid)" 'BEGIN { exit !(x > 0) }'; }
wait_for 60 told
had=$(credits_of c) was=$(paid)
slurm_saves "$first"
restart_slurmctld KILL
wait_for 30 job_is "$second" RUNNING
check "c has lost something" are c ">= $had"
check "the ledger has lost something" \
	awk -v "x=$(paid)" -v "y=$was" 'BEGIN { exit !(x >= y) }'
ok payments-over-a-kill

# ---- Nothing more is given: who has spent it leaves, its own share stays.

sed -i 's/ BudgetRefill=100000000/ BudgetRefill=0/' \
	"$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
wait_for 120 job_is "$second" PENDING
broke() { [[ $(why "$second") == *"its tenant a has "*" credits"* ]]; }
wait_for 60 broke
check "a's own share is idle" job_is "$first" RUNNING
check "a owes something" are a '>= 0'
ok spent
sfair tenant Ledger "${window[@]}"
