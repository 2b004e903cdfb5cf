#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=ltgf+themis on real daemons: tenants of weights 2:1 hold GPUs in this
# proportion however many jobs each has; inside a tenant an app of one job gets
# its turn beside an array; who waits is told of the auction, and a restart in
# mid-lease changes neither.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=ltgf+themis FairnessKnob=0
	RoundInterval=1
	LeaseTerm=6
	CheckpointGrace=2
	Tenant=a Accounts=a Weight=2
	Tenant=b Accounts=b
EOT
start_cluster --nodes 2 --gpus 3 --astraea "$conf"
rm -f "$conf"

running() { squeue -h -t R -r -o %a | sort | uniq -c | xargs; }
split() { [[ $(running) == "$1 a $2 b" ]]; }
# Has begun at least once.
ran() { [[ -e $CLUSTER_DIR/out/ran.$1 ]]; }
told() { sfair job -nP -A "$1" -o Reason | grep >/dev/null "won the auction, rank "; }

export OUT=$CLUSTER_DIR/out
endless='touch "$OUT/ran.$SLURM_JOB_ID"; sleep 600'
# All begin at once: a tenant that had more at first would have less afterwards.
scontrol update partitionname=gpu state=down
submit -A a --array=0-9 --gres=gpu:1 --wrap "$endless" >/dev/null
for _ in 1 2 3 4 5; do
	last=$(submit -A b --gres=gpu:1 --wrap "$endless")
done
scontrol update partitionname=gpu state=up
wait_for 40 split 4 2 || fail "not 2:1: $(running) GPUs"
wait_for 20 told a || fail "nobody in a was told of the auction"

# Auctions are held inside tenants: who bids is of one tenant, and both are shown.
tenants_shown() {
	[[ $(sfair auction -nP --format=Tenant 2>/dev/null | sort -u |
		xargs) == *"a b"* ]]
}
wait_for 40 tenants_shown || fail "sfair auction does not show both tenants"

single=$(submit -A a --gres=gpu:1 --wrap "$endless")
wait_for 180 ran "$single" || fail "an app of one job has had no lease"
restart_slurmctld KILL
wait_for 180 ran "$last" || fail "b's last job has had no lease"
wait_for 60 split 4 2 ||
	fail "after a restart: $(running) GPUs"
! ctld_log "policy ltgf+themis: award" || fail "awarded what could not be"
