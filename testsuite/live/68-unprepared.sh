#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs that declare no checkpoint. With Unprepared=share they keep
# GPUs within their tenant's share, over restarts too; GPUs beyond it come back
# once another tenant lacks some of its share, from jobs that can checkpoint
# first. With Unprepared=keep they are as with --no-requeue.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=5
	Unprepared=share
	Pool=gpu Partitions=gpu CheckpointGrace=3 RecallAfter=5
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
start_cluster --needs minage=300 --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
chmod 755 "$CLUSTER_DIR/run"
export OUT=$CLUSTER_DIR/out
restarts_of() { for id; do job_field "$id" Restarts; done | xargs; }
pinned() { sfair job -nP -j "$1" -o Pinned; }
pinned_is() { [[ $(pinned "$1") == "$2" ]]; }
share='declares no checkpoint, Unprepared=share'

# ---- sbatch says so, of those alone that say nothing.

said() { sleeper -A a -H --gpus=1 "$@" 2>&1 >/dev/null; }
check "sbatch: $(said)" grep -q 'declares no checkpoint' <<<"$(said)"
check_eq "sbatch --requeue" '' "$(said --requeue)"
check_eq "sbatch --signal" '' "$(said --signal=USR1@60)"
check_eq "sbatch --no-requeue" '' "$(said --no-requeue)"
cancel_all
ok unprepared-is-told

# ---- a's four: the second can checkpoint. Its share is two.

first=$(sleeper -A a --gpus=1 2>/dev/null)
runs "$first"
prepared=$(sleeper -A a --gpus=1 --requeue)
runs "$prepared"
second=$(sleeper -A a --gpus=1 2>/dev/null)
runs "$second"
last=$(sleeper -A a --gpus=1 2>/dev/null)
runs "$last"
wait_for 20 pinned_is "$first" "$share"
wait_for 20 pinned_is "$last" "$share"
check_eq "why the one that can checkpoint has no lease" '' "$(pinned "$prepared")"
check_eq "who does not say how it saves" "yes no yes yes" \
	"$(sfair job -nP -o JobID,Unprepared | sort -n | cut -d'|' -f2 | xargs)"
check_eq "the end of its lease" '' "$(sfair lease -nP -j "$first" -o LeaseEnd |
	grep -v -i -e unknown -e none -e n/a || true)"
why=$(sfair why "$first" | tr -s ' \n' ' ')
check "sfair why: $why" grep -q "Within its tenant's share it runs until it ends" <<<"$why"
echo "$why"
doctor=$(sfair doctor 2>&1 | tr -s ' \n' ' ')
check "sfair doctor: $doctor" \
	grep -q '3 of 4 job records declare no checkpoint, of root' \
	<<<"$doctor"
ok unprepared-keep-their-gpus

# ---- b lacks two: one of the job that can checkpoint, one borrowed.

one=$(sleeper -A b --gpus=1 2>/dev/null)
runs "$one"
check_eq "restarts once b has one GPU" '0 1 0 0' \
	"$(restarts_of "$first" "$prepared" "$second" "$last")"
ok those-that-can-checkpoint-yield-first
two=$(sleeper -A b --gpus=1 2>/dev/null)
runs "$two"
check_eq "restarts once b has its share" '0 0 1' \
	"$(restarts_of "$first" "$second" "$last")"
ok the-one-that-started-last-yields-next

# ---- All four are within shares now, over terms and restarts.

restart_slurmctld KILL
scontrol reconfigure
ran_so_long() {
	[[ $(job_field "$two" RunTime) > 00:00:20 ]]
}
wait_for 60 ran_so_long
check_eq "restarts within the shares" '0 0 0 0' \
	"$(restarts_of "$first" "$second" "$one" "$two")"
ok nobody-within-its-share-is-interrupted

# ---- A user can say it later.

scontrol update JobId="$second" Requeue=1
wait_for 20 pinned_is "$second" ''
ok requeue-1-says-that-it-can-checkpoint
cancel_all

# ---- Unprepared=keep

set_conf Unprepared keep
is_kept() {
	sbatch -H -A a --gpus=1 -o /dev/null --wrap true 2>&1 >/dev/null |
		grep >/dev/null 'as with --no-requeue'
}
wait_for 20 is_kept
first=$(sleeper -A a --gpus=2 2>/dev/null)
runs "$first"
second=$(sleeper -A a --gpus=1 2>/dev/null)
says "$second" 'Lease: a cap is reached'
wait_for 20 pinned_is "$first" 'declares no checkpoint, Unprepared=keep'
ok unprepared-keep-is-as-no-requeue
cancel_all
# ---- Before there are leases sfair doctor counts them.

set_conf Leases no
is_without_leases() { [[ $(sfair job -nP -j "$1" -o Pinned) == 'this pool has no leases' ]]; }
first=$(sleeper -A a --gpus=1)
wait_for 20 is_without_leases "$first"
cancel_all
first=$(sleeper -A a --gpus=1)
second=$(sleeper -A a --gpus=1 --requeue)
runs "$first"
runs "$second"
counts() {
	sfair doctor 2>&1 | tr -s ' \n' ' ' | grep >/dev/null \
		'1 of 2 job records run in pools without leases and declare no checkpoint, of root'
}
wait_for 20 counts
ok unprepared-are-counted-before-there-are-leases
cancel_all
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
