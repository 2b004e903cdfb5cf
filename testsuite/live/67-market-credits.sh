#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=incentive with a Budget: with some credits tenants buy what others leave,
# others have what one pays, over a kill of slurmctld, too, and who has nothing left
# leaves. sfair price and the ledger say what was paid.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/market.sh
. "$(dirname "$0")/../lib/market.sh"
market_cluster BatchMax=2 CheckpointGrace=3 Budget=0

begin=$(date +%s)
job() { submit -A "$1" --gres=gpu:1 --time=60 --wrap 'sleep 1000'; }

# Shares are 1, 2 and 1: nobody buys c's GPU without credits.
first=$(job a)
second=$(job a)
submit -A b --time=60 --gpu-range=1-2 --wrap 'sleep 1000' >/dev/null
wait_for 60 job_is "$first" RUNNING
check_eq "its state" PENDING "$(job_state "$second")"

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
