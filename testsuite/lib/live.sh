# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests: source this first.
#
#	. "$(dirname "$0")/../lib/live.sh"
#	start_cluster --nodes 2			# removed when the test ends
#	id=$(submit --gres=gpu:2 --wrap 'sleep 60')
#	wait_for 10 job_is "$id" RUNNING
#
# The test passes if it ends with 0, is skipped with 77 and fails with any other
# status. If it fails, its function on_failure runs, if there is one, and the ends of
# the logs are printed.
#
#   start_cluster [--needs 'KEY=VALUE...'] [OPTION]...	testsuite/lib/cluster up,
#				in a new folder; its env is sourced; torn down at
#				the end of the test. Settings that differ between
#				sites are drawn and printed: see draw.sh. A test
#				that passes only with one value of a key --needs
#				it. Sets $vary, for --vary of a second such cluster
#   fail MESSAGE...		say what is wrong and end with 1
#   skip MESSAGE...		say why it cannot be tried here and end with 77
#   ok NAME...		say that a native meaning has been checked
#   check MESSAGE COMMAND...	fail with MESSAGE unless COMMAND succeeds
#   check_eq MESSAGE WANT GOT	fail unless the two are the same text
#   complains PATTERN COMMAND...	fail unless sfair fails with one such line
#   wait_for SECONDS COMMAND...	poll until COMMAND succeeds, or fail after so
#				many seconds of a machine without other work:
#				see load.sh
#   submit SBATCH_ARGUMENT...	sbatch; prints the job's id. Output goes to
#				$CLUSTER_DIR/out/ID unless -o says otherwise
#   job_state ID		PENDING, RUNNING, COMPLETED, ...; "none" if unknown
#   job_is ID STATE		whether the job is in that state
#   job_field ID NAME		a field of scontrol show job, as Reason, Restarts
#   job_reason ID		squeue's reason column
#   reason_long ID		sfair job's reason, with numbers, times and names
#   job_log ID			what the job wrote
#   gpus_of ACCOUNT|user	GPUs of the running jobs of an account or user
#   as_other COMMAND...		run it as an ordinary user, games (in the
#				background: "${other_user[@]}" COMMAND...). Slurm
#				25.11 and later do not accept user nobody
#   slurm_has_saved		whether slurmctld has saved its jobs since
#				$CLUSTER_DIR/known was touched. If it is killed,
#				later changes are lost
#   slurm_saves ID		change a job's comment, and wait until that is
#				saved; without a change Slurm may save nothing
#   restart_slurmctld [SIGNAL]	stop it with SIGNAL [TERM] and start it again
#   ctld_log PATTERN		whether slurmctld's log has such a line
#   box_name			the file of slurmctld's black box
#   set_conf KEY VALUE		set a key of this cluster's astraea.conf's Pool
#				line and reconfigure
#
# With ASTRAEA_CHECKER=asan|tsan|valgrind slurmctld runs under a checker. Its findings
# fail the test, and all waits are longer. See checker.sh. For variables with the
# words of Slurm's releases see slurm.sh.

set -euo pipefail
umask 022 # jobs run as other users, too
live_lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$live_lib/../.." && pwd)
export top
# Job users cannot run programs in the home of the user who tests.
# shellcheck source=testsuite/lib/slurm.sh
. "$live_lib/slurm.sh"
PATH=$slurm_path:$PATH
slurm_words

# shellcheck source=testsuite/lib/checker.sh
. "$live_lib/checker.sh"
# shellcheck source=testsuite/lib/load.sh
. "$live_lib/load.sh"
# shellcheck source=testsuite/lib/draw.sh
. "$live_lib/draw.sh"
checker_build

# live_end [STATUS]: end the test with this status [$?].
live_end() {
	local status=${1-$?}
	trap - EXIT
	[[ ${CLUSTER_DIR-} ]] || exit "$status"
	if ((status != 0 && status != 77)); then
		! declare -F on_failure >/dev/null || on_failure || true
		echo "---- cluster: $vary"
		echo "---- slurmctld.log"
		tail -n 40 "$CLUSTER_DIR/log/slurmctld.log" || true
		"$live_lib/cluster" dead "$CLUSTER_DIR" || true
	fi
	cd /
	"$live_lib/cluster" down "$CLUSTER_DIR" || status=1
	[[ ${KEEP_CLUSTER-} ]] || rm -rf "$CLUSTER_DIR"
	exit "$status"
}

start_cluster() {
	local dir needs=''
	[[ ${1-} != --needs ]] || { needs=$2 && shift 2; }
	vary=$(cluster_of "$(realpath --relative-to="$top/testsuite" "$0")" "$needs")
	echo "cluster: $vary"
	dir=$(mktemp -d "${TMPDIR:-/tmp}/astraea.XXXXXX")
	# Job users other than root must reach their output.
	chmod 755 "$dir"
	CLUSTER_DIR=$dir
	trap live_end EXIT
	trap 'exit 1' INT TERM HUP
	"$live_lib/cluster" up "$dir" --vary "$vary" "$@" >/dev/null
	# shellcheck source=/dev/null
	. "$dir/env"
	mkdir -m 1777 "$dir/out"
	# From 25.11 on, slurmctld starts after a kill only if it has once ended well.
	[[ $* != *--accounting* ]] || (($(slurm_release) < 2511)) ||
		restart_slurmctld
}

interrupt_slurmctld() {
	local pid
	pid=$(<"$CLUSTER_DIR/run/slurmctld.pid") || return 0
	kill -STOP "$pid" || return 0
	sleep .2
	kill -CONT "$pid" || :
} 2>/dev/null

# Interrupts slurmctld if reconfiguring takes long: that of 24.11.5 may wait for ever
# for its own thread in epoll_wait (fixed in 24.11.6).
scontrol() {
	local pid tenths=0
	[[ ${1-} == reconf* ]] || {
		command scontrol "$@"
		return
	}
	command scontrol "$@" &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		nap .1
		((++tenths % 50)) || interrupt_slurmctld
	done
	wait "$pid"
}

# Prints nothing, without an error, for a job that slurmctld has forgotten, which is
# soon if MinJobAge is short.
squeue() {
	local errors status=0
	{ errors=$(command squeue "$@" 2>&1 >&3) || status=$?; } 3>&1
	[[ $errors != *"Invalid job id specified"* ]] || return 0
	[[ ! $errors ]] || echo "$errors" >&2
	return "$status"
}

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

ok() { echo "ok $*"; }

skip() {
	echo "SKIP: $*" >&2
	exit 77
}

check() {
	local message=$1
	shift
	"$@" || fail "$message"
}

check_eq() {
	[[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"
}

errors_of_ours() {
	sed -n '/error: astraea/p' "$CLUSTER_DIR/log/slurmctld.log"
}

complains() {
	local pattern=$1 out
	shift
	! out=$("$@" 2>&1) || fail "$*: succeeds: $out"
	check_eq "lines of $*" 1 "$(wc -l <<<"$out")"
	grep -E "^sfair: error: .*$pattern" <<<"$out" >/dev/null ||
		fail "$*: \"$out\" lacks \"$pattern\""
}

wait_for() {
	local limit=$(($1 * patience)) seconds=0.2 naps=0 wait_left wait_looked
	wait_begins $limit
	shift
	until "$@"; do
		wait_goes_on || fail "not within $limit s: $*"
		# Each look runs a command: look less often in long waits.
		((++naps < 10)) || seconds=0.5
		((naps < 30)) || seconds=1
		nap $seconds
	done
}

# end_child PID: kill a child of this shell unless it has ended, as its pid may then
# be another process's.
end_child() { ! jobs -pr | grep >/dev/null -x "$1" || kill "$1"; }

submit() {
	sbatch --parsable -o "$CLUSTER_DIR/out/%j" --chdir=/ "$@"
}

# ended_field ID NAME: print a field of a job or array task that slurmctld has
# forgotten.
ended_field() {
	local id="^JobId=$1 "
	[[ $1 != *_* ]] || id=" ArrayJobId=${1%_*} ArrayTaskId=${1#*_} "
	sed -n "/$id/s/.* $2=\([^ ]*\).*/\1/p" "$CLUSTER_DIR/log/ended" |
		tail -n 1
}

# read_field ID NAME: sets field.
read_field() {
	local record
	record=$(exec scontrol -o show job "$1" 2>/dev/null) || :
	field=''
	[[ ! $record =~ \ $2=([^[:space:]]*) ]] || field=${BASH_REMATCH[1]}
	[[ $field ]] || field=$(ended_field "$1" "$2")
}

job_state() {
	local field
	read_field "$1" JobState
	echo "${field:-none}"
}

job_is() {
	local field
	read_field "$1" JobState
	[[ ${field:-none} == "$2" ]]
}

job_field() {
	local field
	read_field "$1" "$2"
	echo "$field"
}

job_reason() { squeue -h -j "$1" -o %r; }
reason_long() { sfair job -nP -j "$1" -o Reason; }

job_log() { cat "$CLUSTER_DIR/out/$1"; }

gpus_of() {
	squeue -h -t RUNNING -O 'Account:64,UserName:64,tres-alloc:200' |
		awk -v who="$1" '$1 == who || $2 == who {
			if (match($3, /gres\/gpu=[0-9]+/))
				n += substr($3, RSTART + 9, RLENGTH - 9)
		} END { print n + 0 }'
}

other_user=(setpriv --reuid games --regid games --clear-groups)
as_other() { "${other_user[@]}" "$@"; }

slurm_has_saved() { [[ $CLUSTER_DIR/state/job_state -nt $CLUSTER_DIR/known ]]; }

slurm_saves() {
	local comment=saved.$EPOCHREALTIME
	scontrol update "jobid=$1" "comment=$comment"
	wait_for 30 grep -qaF "$comment" "$CLUSTER_DIR/state/job_state"
}

restart_slurmctld() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld "${1-TERM}"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}

ctld_log() { grep -qE -- "$1" "$CLUSTER_DIR/log/slurmctld.log"; }

# Prints the name; its random part follows the 24 bytes of the file's header.
box_name() {
	echo "/dev/shm/astraea.1.$(od -An -v -j24 -N8 -tx8 \
		"$CLUSTER_DIR/state/astraea-shared" | xargs)"
}

set_conf() {
	sed -i -E "/^Pool=/{s/ $1=[^ ]*//I;s/\$/ $1=$2/}" \
		"$CLUSTER_DIR/etc/astraea.conf"
	scontrol reconfigure
}
