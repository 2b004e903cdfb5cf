#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A pool's policy is changed with jobs in mid-lease, from one to the next,
# slurmctld killed in between, once with the change made while it is down: no job
# is lost, restarted or resized, leases keep their ends, tenants their GPU time,
# the ledger its sums, and sacct has every job once.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/policy-change.sh
. "$(dirname "$0")/../lib/policy-change.sh"
policy_cluster

serves
more
set_conf Policy themis
rule themis "ltgf to themis"
serves
slurm_saves "$red"
restart_slurmctld KILL
rule themis "a kill"
more
set_conf Policy incentive
rule incentive "themis to incentive"
more
serves
wait_for 20 paid
sums=$(ledger)
echo "$sums"

# While it is down the file is edited.
more
slurm_saves "$red"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
sed -i 's/Policy=incentive/Policy=oasis/' "$CLUSTER_DIR/etc/astraea.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
rule oasis "incentive to oasis over a kill"
serves
set_conf Policy ogasched
rule ogasched "oasis to ogasched"
serves
more
set_conf Policy ltgf
rule ltgf "ogasched to ltgf"
serves

check_eq "the ledger in the end" "$sums" "$(ledger)"
policy_end
