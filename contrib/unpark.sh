#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For a slurmctld that was stopped hard (kill -9, a crash) and came back without
# the astraea plugins. Pending jobs then keep what the plugins had put into
# their records, and this takes it out; run it once, as an operator or SlurmUser.
#
# - The reason "Lease: ..." or the name of a limit, with which Slurm's
#   schedulers pass them over for ever. Any change makes Slurm look at a job
#   again; this sets whether each one may be requeued to what it is. Nothing
#   that a user wrote, such as a name, is read.
# - The site factor in which priority/ltgf keeps a job's place without leases,
#   unless the site has a PrioritySiteFactorPlugin of its own.
#
# A slurmctld that is stopped normally does all of it by itself.
set -eu

[ $# -eq 0 ] || {
	echo "usage: unpark.sh" >&2
	exit 1
}
count=0 failed=0
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# update JOB KEY=VALUE
update() {
	if scontrol update JobId="$1" "$2"; then
		count=$((count + 1))
	else
		failed=$((failed + 1))
	fi
}

# A limit's name may be the plugin's or Slurm's own; looked at again it is right
# in either case. Slurm may start each at once, so those that go first come first.
squeue -h -t PD -S '-p,i' -O 'ArrayJobID:20,Requeue:4,Reason:200' >"$list"
seen=' '
while read -r id requeue reason; do
	case $id$requeue in
	*[!0-9]*) continue ;;
	esac
	case $reason in
	None | Priority | Resources | Dependency* | BeginTime | JobHeld*) continue ;;
	esac
	case $seen in
	*" $id "*) continue ;;
	esac
	seen="$seen$id "
	update "$id" Requeue="$requeue"
done <"$list"
given=$count

conf=$(scontrol show config)
case $conf in
*"= priority/ltgf"*) ;;
*"= priority/multifactor"*)
	case $conf in
	*PrioritySiteFactorPlugin*"= (null)"*)
		sprio -h -o '%i %S' >"$list" 2>/dev/null || true
		;;
	*) : >"$list" ;;
	esac
	while read -r id site; do
		case $site in
		*[!0-9]* | '' | 0) ;;
		*) update "$id" SiteFactor=0 ;;
		esac
	done <"$list"
	;;
esac
echo "unpark.sh: $given jobs given back to Slurm," \
	"$((count - given)) priorities, $failed failed"
[ "$failed" -eq 0 ]
