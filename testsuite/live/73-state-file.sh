#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A state file that is damaged, an older one, or of a newer release: the
# log says so, the one before is used, leases stay where they were, and what a
# newer release wrote is kept aside. Without any state leases begin anew and no
# job is touched.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=5
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
file=$CLUSTER_DIR/state/astraea.gpu

runs=$(submit --gres=gpu:4 --wrap 'date +begin\ %s; sleep 1000')
wait_for 20 job_is "$runs" RUNNING
waits=$(submit --gres=gpu:4 --wrap 'sleep 1000')
lease_of() {
	sfair lease -j "$1" --json 2>/dev/null | python3 -c '
import json, sys
for j in json.load(sys.stdin)["leases"]:
    print(int(j["start_sec"]), int(j["lease_end_sec"]))'
}
has_lease() { [[ $(lease_of "$runs") ]]; }
wait_for 20 has_lease
# Slurm itself saves a new job after 5 s, and by then a round has promised the
# waiting one its first start, for which the lease ends sooner.
sleep 6
promised() { [[ $(sfair job -nP -j "$waits" -o Promised 2>/dev/null) == 20* ]]; }
wait_for 20 promised
lease=$(lease_of "$runs")
check_eq "files of ours that others can read" '' \
	"$(find "$CLUSTER_DIR/state" -name 'astraea*' -type f -perm /077)"

# After a file was kept aside there is none until a round has been saved.
saved() { wait_for 60 test -f "$file"; }

# So that both files know of the lease: each change is saved.
churn() {
	local id before
	saved
	before=$(stat -c %i "$file")
	id=$(submit --gres=gpu:4 --wrap true)
	replaced() { [[ $(stat -c %i "$file") != "$1" ]]; }
	wait_for 20 replaced "$before"
	before=$(stat -c %i "$file")
	scancel "$id"
	wait_for 20 replaced "$before"
}

# edit HOW: what is done to the file while slurmctld is away
edit() {
	python3 - "$file" "$1" <<-'EOT'
		import os, struct, sys, zlib
		path, how = sys.argv[1:]
		if how == "folder":
		    os.unlink(path)
		    os.mkdir(path)
		    sys.exit()
		data = bytearray(open(path, "rb").read())
		if how == "damaged":
		    data[len(data) // 2] ^= 0x55
		elif how == "format":		# the file's, of a newer release
		    struct.pack_into("<I", data, 4, 99)
		elif how == "version":		# the content's
		    struct.pack_into("<I", data, 24, 99)
		    crc = zlib.crc32(data[:16])
		    struct.pack_into("<I", data, 16, zlib.crc32(data[24:], crc))
		open(path, "wb").write(data)
	EOT
}

log_lines() { wc -l <"$CLUSTER_DIR/log/slurmctld.log"; }
said() {
	tail -n +"$from" "$CLUSTER_DIR/log/slurmctld.log" |
		grep >/dev/null "error: astraea: pool gpu.*$1"
}
untouched() {
	check_eq "$1: restarts" "0 RUNNING" \
		"$(job_field "$runs" Restarts) $(job_state "$runs")"
	check_eq "$1: who waits" PENDING "$(job_state "$waits")"
}

told() { sfair diag 2>/dev/null | grep "Warning .*pool gpu.*$1" >/dev/null; }

# try HOW TEXT: the lease is where it was, the log and sfair diag say TEXT
try() {
	churn
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
	from=$(log_lines)
	edit "$1"
	cp -a "$file" "$CLUSTER_DIR/out/edited"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
	wait_for 30 has_lease
	check_eq "$1: the lease" "$lease" "$(lease_of "$runs")"
	untouched "$1"
	check "$1: the log does not say so" said "$2"
	wait_for 20 told "$2"
	rm -rf "$CLUSTER_DIR/out/edited.last"
	mv "$CLUSTER_DIR/out/edited" "$CLUSTER_DIR/out/edited.last"
}

try damaged "before the last one is used.*checksum"
try folder "before the last one is used.*not a state file"
try format "before the last one is used.*format 99"
check "what a newer release wrote is not kept" \
	cmp "$CLUSTER_DIR/out/edited.last" "$file.kept"
try version "version 99"
check "what a newer release wrote is not kept" \
	cmp "$CLUSTER_DIR/out/edited.last" "$file.kept"

# An older one, as from a backup: since then nothing but the time has changed.
saved
cp "$file" "$CLUSTER_DIR/out/older"
churn
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
cp "$CLUSTER_DIR/out/older" "$file"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 30 has_lease
check_eq "an older one: the lease" "$lease" "$(lease_of "$runs")"
untouched "an older one"

# None at all, or nothing but damage.
for how in none damaged; do
	saved
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
	from=$(log_lines)
	if [[ $how == none ]]; then
		rm -f "$file" "$file".*
	else
		edit damaged
		cp "$file" "$file.old"
	fi
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
	wait_for 30 has_lease
	untouched "$how"
	check_eq "$how: the run" "${lease% *}" "$(lease_of "$runs" |
		cut -d' ' -f1)"
	[[ $how == none ]] || check "the log does not say so" \
		said "begins anew.*checksum"
done
check_eq "runs" 1 "$(grep -c begin "$CLUSTER_DIR/out/$runs")"

# It is not known then who is in its grace: whoever leaves as one that has written
# its checkpoint has.
set_conf LeaseTerm 8
scancel "$runs" "$waits"
leaves=$(submit --gres=gpu:4 --signal=USR1 --wrap \
	'trap "sleep 4; exit 85" USR1; sleep 1000 & wait')
wait_for 20 job_is "$leaves" RUNNING
waits=$(submit --gres=gpu:4 --wrap 'sleep 1000')
in_grace() { sfair lease --json 2>/dev/null | grep >/dev/null '"grace"'; }
wait_for 60 in_grace
saved
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
edit version
cp "$file" "$file.old"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 30 job_is "$leaves" PENDING
check_eq "restarts of one that was in its grace" 1 \
	"$(job_field "$leaves" Restarts)"
runs=$waits
wait_for 60 job_is "$runs" RUNNING

# Without the black box jobs run as before, and an admin is told.
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
box=$(box_name)
check "no black box at $box" test -f "$box"
rm -f "$box"
mkdir "$box"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
is_told() { sfair diag 2>&1 | grep >/dev/null "no protection .* crash: .*${box##*/}"; }
wait_for 30 is_told
wait_for 30 has_lease
rmdir "$box"

# A name that another user has taken, who saw it before the host was booted, is
# given up: nobody can know the next one.
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
as_other touch "$box"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
is_protected() { [[ -f $(box_name) && $(stat -c %u "$(box_name)") == 0 ]]; }
wait_for 30 is_protected
check "the name that was taken is used" test "$(box_name)" != "$box"
wait_for 30 has_lease
check "it says that there is no box" eval ! is_told
rm -f "$box"
