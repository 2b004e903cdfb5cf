#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A backup controller takes over when the primary is killed in the midst of a job's
# grace, and hands back: leases end when they were to end, GPU time goes on, jobs
# are taken back and started by whoever is in control, and none runs twice at once.
# backup.sh sets the variables.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/backup.sh"

backup_cluster 8 4
backup_jobs
wait_for 60 more_swaps 0
goes_on "before" 2

wait_for 60 in_grace
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
wait_for 60 in_control
goes_on "under the backup" 2

"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 40 primary_is UP
goes_on "under the primary again" 2

# The same process takes over a second time, by order.
scontrol takeover
wait_for 60 in_control
goes_on "after scontrol takeover" 2

scancel "$one" "$two"
after=$(submit --gres=gpu:2 --wrap true)
wait_for 40 job_is "$after" COMPLETED
check_eq "runs of the long job" 1 "$(job_log "$long" | grep -c begin)"
