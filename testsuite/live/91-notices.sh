#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mail of leases by MailProg to who asked for it, and LeaseProgram for all: what
# they are told, and that one that hangs, fails or is missing costs nobody
# anything. One line "ok NAME" each.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
# It notes its arguments and environment in one piece, and what it has open.
cat >"$dir/note" <<-'EOT'
	#!/bin/bash
	{
		echo "begin"
		printf 'arg=%s\n' "$@"
		env
		echo "held=$(readlink /proc/$$/fd/* | grep -c 'socket:\|slurmctld')"
		echo "in=$(readlink /proc/$$/fd/0)"
		echo "end"
	} >>"${0%/*}/${0##*/}.log"
EOT
cp "$dir/note" "$dir/mail"
chmod 755 "$dir/note" "$dir/mail"
touch "$dir/note.log" "$dir/mail.log"
conf=$dir/astraea.conf
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=3 AllowNoLease=yes
	LeaseProgram=$dir/note
EOT
start_cluster --nodes 1 --gpus 2 --slurm "MailProg=$dir/mail" --astraea "$conf"
trap 'status=$?; rm -rf "$dir"; live_end $status' EXIT

# told FILE PATTERN...: a note has all of these lines.
told() {
	python3 - "$dir/$1.log" "${@:2}" <<-'EOT'
		import fnmatch, sys
		notes = open(sys.argv[1], errors="replace").read().split("begin\n")
		sys.exit(not any(
		    all(fnmatch.filter(note.split("\n"), p) for p in sys.argv[2:])
		    for note in notes if note.endswith("end\n")))
	EOT
}
diag() {
	sfair diag --json | python3 -c '
import json, sys
print(int(json.load(sys.stdin)["diag"][sys.argv[1]]))' "$1"
}
diag_is() { (($(diag "$1") >= $2)); }

# Two jobs that alternate on all GPUs; the first wants mail, and has a line's end
# in its name.
name=$'evil\rBcc: root'
id=$(submit --gres=gpu:2 --signal=USR1 --lease-mail=over,resumed \
	--mail-user=ann@example.org -J "$name" --wrap 'sleep 600')
wait_for 20 job_is "$id" RUNNING
rival=$(submit --gres=gpu:2 --wrap 'sleep 600')
wait_for 40 told mail "arg=-s" \
	"arg=Slurm Job_id=$id Name=evil?Bcc: root Lease over" \
	arg=ann@example.org ASTRAEA_EVENT=over "SLURM_JOB_ID=$id" \
	"SLURM_JOB_MAIL_TYPE=Lease over" "SLURM_JOB_NAME=evil?Bcc: root" \
	in=/dev/null
wait_for 60 told mail "arg=Slurm Job_id=$id Name=evil?Bcc: root Resumed" \
	ASTRAEA_EVENT=resumed SLURM_RESTART_COUNT=1
ok "mail to who asked for it"

wait_for 60 told note ASTRAEA_EVENT=over "SLURM_JOB_ID=$rival" \
	ASTRAEA_POOL=gpu "SLURM_JOB_USER=$(id -un)" "SLURM_JOB_UID=$(id -u)" \
	SLURM_JOB_PARTITION=gpu SLURM_JOB_NODELIST=n1 SLURM_CLUSTER_NAME=?* \
	"PATH=*" "ASTRAEA_EVENT_TIME=[0-9]*" held=0
check "mail of a job without --lease-mail" \
	test -z "$(grep "SLURM_JOB_ID=$rival" "$dir/mail.log")"
check_eq "notes with files of slurmctld" "$(grep -c '^held=' "$dir/note.log")" \
	"$(grep -c '^held=0$' "$dir/note.log")"
sfair diag | grep 'Notices told' >/dev/null || fail "sfair diag has no notices"
ok "LeaseProgram is told of all"
scancel "$id" "$rival"
wait_for 20 job_is "$id" CANCELLED

# Without a grace there is no signal, and a lease is over all the same.
set_conf CheckpointGrace 0
id=$(submit --gres=gpu:2 --signal=USR1 --wrap 'sleep 600')
rival=$(submit --gres=gpu:2 --signal=USR1 --wrap 'sleep 600')
wait_for 60 told note ASTRAEA_EVENT=over "SLURM_JOB_ID=$id"
scancel "$id" "$rival"
wait_for 20 job_is "$id" CANCELLED
set_conf CheckpointGrace 3
ok "a lease without a grace"

# One that holds all GPUs without a lease: whoever waits is promised what cannot
# be kept.
holder=$(submit --gres=gpu:2 --lease=none --wrap 'sleep 600')
wait_for 20 job_is "$holder" RUNNING
late=$(submit --gres=gpu:1 --lease-mail=ALL --wrap 'sleep 600')
patient=$(submit --gres=gpu:1 --lease-mail=none --wrap 'sleep 600')
wait_for 90 told mail "arg=*Waits beyond its promised start" \
	ASTRAEA_EVENT=starved "SLURM_JOB_ID=$late"
wait_for 30 told note ASTRAEA_EVENT=starved "SLURM_JOB_ID=$patient"
check_eq "mails of one wait" 1 "$(grep -c '^ASTRAEA_EVENT=starved' \
	"$dir/mail.log")"
ok "a promise that is broken"
scancel "$holder" "$late" "$patient"

# A program that hangs is killed, what it started with it, and slurmctld goes on
# and stops as ever.
cat >"$dir/hang" <<-'EOT'
	#!/bin/bash
	echo $$ >>"${0%/*}/hang.pids"
	sleep 600 &
	echo $! >>"${0%/*}/hang.pids"
	sleep 600
EOT
chmod 755 "$dir/hang"
sed -i "s/^LeaseProgram=.*/LeaseProgram=${dir//\//\\/}\/hang/" \
	"$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
failed=$(diag notices_failed)
one=$(submit --gres=gpu:2 --wrap 'sleep 600')
two=$(submit --gres=gpu:2 --wrap 'sleep 600')
wait_for 40 test -s "$dir/hang.pids"
started=$SECONDS
three=$(submit -p cpu --wrap 'true')
wait_for 20 job_is "$three" COMPLETED
wait_for 60 diag_is notices_failed $((failed + 1))
mapfile -t pids <"$dir/hang.pids"
gone() { ! kill -0 "$1" 2>/dev/null; }
wait_for 5 gone "${pids[0]}"
wait_for 5 gone "${pids[1]}"
grep "error: astraea: $dir/hang: killed" "$CLUSTER_DIR/log/slurmctld.log" \
	>/dev/null || fail "the log does not say that it was killed"
check "rounds went on for $((SECONDS - started)) s" diag_is rounds 3
hangs() { gone "${pids[0]}" && mapfile -t pids < <(tail -n 2 "$dir/hang.pids") &&
	kill -0 "${pids[0]}"; } 2>/dev/null
wait_for 40 hangs
began=$(date +%s)
restart_slurmctld
(($(date +%s) - began < 20)) || fail "slurmctld waited for LeaseProgram"
wait_for 5 gone "${pids[0]}"
ok "one that hangs"

echo "LeaseProgram=$dir/missing" >>"$CLUSTER_DIR/etc/astraea.conf"
text=$(sfair check 2>&1) || :
[[ $text == *"LeaseProgram=$dir/missing: there is no program of that name"* ]] ||
	fail "sfair check: $text"
sed -i '/hang$/d' "$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
wait_for 60 diag_is notices_failed 1
grep "error: astraea: $dir/missing: No such file" \
	"$CLUSTER_DIR/log/slurmctld.log" >/dev/null ||
	fail "the log does not say that it is missing"
scancel "$one" "$two"
ok "one that is missing"

echo 'LeaseProgram=bin/note' >"$dir/bad"
echo 'Pool=gpu Partitions=gpu' >>"$dir/bad"
complains 'LeaseProgram=bin/note: a path that begins with /' \
	sfair check "$dir/bad"
for bad in some over,,resumed ',over' over+resumed ''; do
	! text=$(sbatch --gres=gpu:1 "--lease-mail=$bad" --wrap true 2>&1) ||
		fail "--lease-mail=$bad: $text"
	[[ $text == *"--lease-mail=$bad: over, resumed, starved"* ]] ||
		fail "--lease-mail=$bad: $text"
done
ok "what is refused"
