#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For a slurmctld that was stopped hard (kill -9, a crash) and came back without
# the astraea plugins: pending jobs then keep the plugin's reason "Lease: …" and
# Slurm's schedulers pass them over. Any change makes Slurm look at a job again;
# this sets each one's name to what it is. Needs an operator or SlurmUser.
#
# A slurmctld that is stopped normally gives the jobs back by itself.
set -eu

[ $# -eq 0 ] || {
	echo "usage: unpark.sh" >&2
	exit 1
}
count=0 failed=0
list=$(mktemp)
trap 'rm -f "$list"' EXIT
squeue -h -t PD -o '%F %r|%j' >"$list"
seen=' '
while IFS= read -r line; do
	id=${line%% *}
	rest=${line#* }
	reason=${rest%%|*}
	name=${rest#*|}
	case $reason in
	Lease:* | BurstBufferOperation*) ;;
	*) continue ;;
	esac
	case $seen in
	*" $id "*) continue ;;
	esac
	seen="$seen$id "
	if scontrol update JobId="$id" Name="$name"; then
		count=$((count + 1))
	else
		failed=$((failed + 1))
	fi
done <"$list"
echo "unpark.sh: $count jobs given back to Slurm, $failed failed"
[ "$failed" -eq 0 ]
