#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A backup controller takes over when the primary is killed in the midst of a job's
# grace, and hands back: leases end when they were to end and GPU time goes on. The
# short form.
# backup.sh sets the variables.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/backup.sh"

# Where a host without the plugin's socket asks first.
asked_first() {
	# shellcheck disable=SC2016 # for the shell there
	"${backup_host[@]}" sh -c 'mount -t tmpfs state "$1"
		exec env -u SFAIR_SOCKET sfair -v diag 2>&1' sh \
		"$CLUSTER_DIR/state" |
		sed -n 's/^sfair: asking [0-9]*@\([^:]*\):.*/\1/p'
}

backup_cluster 4 2
backup_jobs
wait_for 60 more_begun 1

wait_for 60 in_grace
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
wait_for 60 in_control
goes_on "under the backup" 1
check_eq "who is asked from elsewhere" 127.0.0.2 "$(asked_first)"

"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 40 primary_is UP
wait_for 40 has_lease
[[ ${ASTRAEA_OTHER_BUILD-} ]] ||
	check_eq "under the primary again: the long lease" "$lease" "$(lease_of)"
check_eq "who is asked from elsewhere" 127.0.0.1 "$(asked_first)"
check_eq "runs of the long job" 1 "$(job_log "$long" | grep -c begin)"
