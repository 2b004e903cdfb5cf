#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A pool's policy is changed with jobs in mid-lease to those of two levels, over a stop
# of slurmctld, too, and back: no job is lost, restarted or resized, leases keep their
# ends, tenants their GPU time, the ledger its sums, and sacct has every job once.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/policy-change.sh
. "$(dirname "$0")/../lib/policy-change.sh"
policy_cluster

set_conf Policy incentive
rule incentive "ltgf to incentive"
more
serves
wait_for 20 paid
sums=$(ledger)
echo "$sums"

for policy in ltgf+themis ltgf+incentive ltgf+ogasched; do
	set_conf Policy "$policy"
	rule "$policy" "to $policy"
done
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
sed -i 's/Policy=ltgf+ogasched/Policy=ltgf+oasis/' \
	"$CLUSTER_DIR/etc/astraea.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
rule ltgf+oasis "ltgf+ogasched to ltgf+oasis over a stop"
set_conf SlotLength 20
more
set_conf Policy ltgf
rule ltgf "in the end"
wait_for 90 done_all
check_eq "the ledger in the end" "$sums" "$(ledger)"
policy_end
