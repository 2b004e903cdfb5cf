#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hold and release, by the user and by an admin, of waiting and of leased jobs;
# requeue, requeuehold, suspend and top. One line "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

lease_cluster --needs minage=300 --slurm SchedulerParameters=enable_user_top,bf_interval=2
mine() { as_other sbatch --parsable -o "$OUT/%j" --chdir=/ "$@"; }
user_sleeper() { mine "$@" --wrap 'sleep 300'; }

# ---- Waiting jobs, with GPUs free.

id=$(user_sleeper -H --gpus=1)
theirs=$(user_sleeper --gpus=1 -H)
at_admin=$(user_sleeper --gpus=1 --begin=now+1hour)
scontrol hold "$at_admin"
scontrol update jobid="$at_admin" starttime=now
says "$id" JobHeldUser
check_eq "priority of a held job" 0 "$(job_field "$id" Priority)"
ok submit-held
says "$at_admin" JobHeldAdmin
as_other scontrol release "$at_admin" 2>/dev/null || true
sleep 3
check_eq "admin's hold, released by the user" "PENDING JobHeldAdmin" \
	"$(job_state "$at_admin") $(job_reason "$at_admin")"
ok hold-by-admin-stays
as_other scontrol release "$id"
runs "$id"
ok release-by-user
scontrol release "$theirs" "$at_admin"
runs "$theirs"
runs "$at_admin"
ok release-by-admin
scancel "$id" "$theirs" "$at_admin"

id=$(user_sleeper --gpus=1 --begin=now+1hour)
scontrol uhold "$id"
scontrol update jobid="$id" starttime=now
says "$id" JobHeldUser
as_other scontrol release "$id"
runs "$id"
ok uhold-and-release-by-user
refused "Invalid user id" as_other scontrol hold "$(
	sleeper --gpus=1)"
ok hold-of-anothers-job-refused
cancel_all

# ---- Leased jobs: they run on, and are held when their lease is over.

id=$(user_sleeper --gpus=1)
admins=$(user_sleeper --gpus=1)
free=$(user_sleeper --gpus=1)
runs "$id"
runs "$admins"
runs "$free"
as_other scontrol hold "$id"
scontrol hold "$admins"
sleep 7
check_eq "held while it runs" "RUNNING RUNNING" \
	"$(job_state "$id") $(job_state "$admins")"
ok hold-of-running-job-runs-on
take_back "$id" "$admins" "$free"
says "$id" 'JobHeld*'
says "$admins" 'JobHeld*'
give_back
restarts "$free" 1
runs "$free"
sleep 3
check_eq "held at the lease's end" "PENDING PENDING" \
	"$(job_state "$id") $(job_state "$admins")"
ok hold-lasts-over-lease-end
scontrol release "$id" "$admins"
runs "$id"
runs "$admins"
ok release-after-lease-end

# ---- Requeue.

as_other scontrol requeue "$id"
restarts "$id" 2
says "$id" BeginTime
ok requeue-of-running-job
scontrol requeuehold "$admins"
wait_for 60 job_is "$admins" PENDING
says "$admins" "job requeued in held state"
sleep 2
check_eq "after requeuehold" PENDING "$(job_state "$admins")"
ok requeuehold-of-running-job
scontrol release "$admins"
scontrol update jobid="$admins" starttime=now
scontrol update jobid="$id" starttime=now
runs "$admins"
runs "$id"
ok release-after-requeuehold
scancel "$free"

done_one=$(submit --gpus=1 --open-mode=append --wrap 'echo ran; exit 0')
wait_for 60 job_is "$done_one" COMPLETED
scontrol requeue "$done_one"
says "$done_one" BeginTime
scontrol update jobid="$done_one" starttime=now
wait_for 60 job_is "$done_one" COMPLETED
check_eq "runs of a job that was requeued" 2 "$(job_log "$done_one" | grep -c ran)"
ok requeue-of-finished-job
scontrol requeuehold "$done_one"
wait_for 60 job_is "$done_one" PENDING
sleep 2
check_eq "state after requeuehold" PENDING "$(job_state "$done_one")"
ok requeuehold-of-finished-job
fixed=$(sleeper --gpus=1 --no-requeue)
runs "$fixed"
refused "disabled" scontrol requeue "$fixed"
ok requeue-of-no-requeue-refused
cancel_all

# ---- Suspend and resume: the lease goes on, as the GPUs stay allocated.

wrote() { [[ -s $OUT/$1 ]]; }
id=$(submit --gpus=1 --wrap 'while sleep 0.2; do echo x; done')
wait_for 60 wrote "$id"
scontrol suspend "$id"
wait_for 60 job_is "$id" SUSPENDED
quiet() { # its node has heard of it
	before=$(wc -l <"$OUT/$id")
	sleep 1
	(($(wc -l <"$OUT/$id") == before))
}
wait_for 20 quiet
sleep 2
check_eq "lines of a suspended job" "$before" "$(wc -l <"$OUT/$id")"
check_eq "state of a suspended job" SUSPENDED "$(job_state "$id")"
ok suspend
scontrol resume "$id"
wait_for 60 job_is "$id" RUNNING
grew() { (($(wc -l <"$OUT/$id") > before)); }
wait_for 60 grew
ok resume

# ---- Suspended beyond the lease's end: its GPUs are promised to nobody, and it
# is told as soon as it goes on.

scancel "$id"
id=$(submit --gpus=1 --signal=B:USR1 --wrap '
	trap "echo told; exit 85" USR1
	echo ready
	while sleep 0.2; do :; done')
wait_for 60 wrote "$id"
scontrol suspend "$id"
wait_for 60 job_is "$id" SUSPENDED
taker=$(sleeper -J taker -A big --gpus=4)
says "$taker" 'Lease: needs what jobs without leases have'
for _ in $(seq 10); do
	[[ $(reason_long "$taker") != *granted* ]] ||
		fail "GPUs of a suspended job are promised"
	sleep 1
done
check_eq "state after its lease's end" SUSPENDED "$(job_state "$id")"
said() { sfair why "$1" | tr '\n' ' '; }
why=$(said "$taker")
[[ $why != *"expected to start"* ]] || fail "GPUs are promised: $why"
[[ $(said "$id") == *"is suspended and keeps its GPUs"* ]] ||
	fail "a suspended job's lease: $(said "$id")"
ok suspended-keeps-its-gpus
scontrol resume "$id"
was_told() { grep -q told "$OUT/$id"; }
wait_for 60 was_told
runs "$taker"
ok told-as-it-resumes
cancel_all

# ---- top swaps nice values, and the order of jobs that have been served alike.

blocker=$(sleeper --gpus=4 --no-requeue)
runs "$blocker"
first=$(user_sleeper --gpus=4)
says "$first" 'Lease: *'
second=$(user_sleeper --gpus=4)
says "$second" 'Lease: *'
nicer() { (($(job_field "$second" Nice) < $(job_field "$first" Nice))); }
below() {
	(($(job_field "$second" Priority) < $(job_field "$first" Priority)))
}
wait_for 60 below
as_other scontrol top "$second" 2>"$OUT/top" || fail "top: $(cat "$OUT/top")"
check "top did not change nice" nicer
above() {
	(($(job_field "$second" Priority) > $(job_field "$first" Priority)))
}
wait_for 60 above
scancel "$blocker"
runs "$second"
check "both are running" job_is "$first" PENDING
ok top
cancel_all
check "slurmctld is gone" scontrol ping >/dev/null
