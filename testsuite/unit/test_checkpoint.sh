#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair-agent --checkpoint-with=PROGRAM beside a command, in a made-up lease: what
# is dumped goes on, every step once, and what must not be restored is not. The
# checkpointer is the test's own, and so this needs no criu.

set -euo pipefail

agent=$(realpath "${top_builddir:-build}/sfair-agent")
here=${top_srcdir:-$(realpath "$(dirname "$0")/../..")}
work=$(mktemp -d)
cd "$work"
job=7 run=0
pid=

# All processes of the job, as Slurm ends one.
kill_job() {
	local file
	for file in /proc/[0-9]*/environ; do
		! tr '\0' '\n' <"$file" 2>/dev/null |
			grep -Fx "CHECKPOINT_TEST=$work" >/dev/null ||
			kill -KILL "$(cut -d / -f 3 <<<"$file")" 2>/dev/null || :
	done
	[[ ! $pid ]] || wait "$pid" 2>/dev/null || :
} 2>/dev/null
trap 'kill_job; rm -rf "$work"' EXIT

fail() {
	echo "FAIL: $*" >&2
	exit 1
}
says() {
	tail -n 4 err | grep -F -- "$1" >/dev/null ||
		fail "no \"$1\" in: $(cat err)"
}
wait_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		! "$@" >/dev/null || return 0
		sleep 0.05
	done
	fail "in vain: $*: $(cat err)"
}

# Each step is a line of a file that stays open; it begins behind a number.
cat >steps <<'EOT'
#!/bin/bash
exec 5>>log
eval "${opens-}"
i=$1
while [[ ! -e enough ]]; do echo $((++i)) >&5; sleep 0.01; done
EOT
# All that there is of its state is the last number.
cat >tool <<'EOT'
#!/bin/bash
cd "${0%/*}"
. ./mood 2>/dev/null
case $1 in
check)
	[[ ! ${cannot-} ]] || { echo "not here" >&2; exit 1; }
	echo "${version-tool 1}" ;;
dump)
	kill -STOP "$3"
	tail -n 1 log >"$2/state"
	head -c "${size-1000}" /dev/zero >"$2/memory"
	touch dumping
	[[ ! ${hangs-} ]] || exec sleep 1000
	[[ ! ${fails-} ]] || exit 1 ;;
resume) [[ -d $2 && $(ps -o stat= -p "$3") != T* ]] && touch resumed ;;
restore)
	[[ ! ${cannot_restore-} ]] || { echo "no room" >&2; exit 1; }
	[[ ! ${other-} ]] || { echo "$other"; exit; }
	setsid bash ./steps "$(cat "$2/state")" <&- >&- 2>&- &
	echo "${says-$!}" ;;
esac
EOT
chmod +x tool

# begin [OPTION]...: the agent in the background, as $pid.
begin() {
	env CHECKPOINT_TEST="$work" ASTRAEA_POOL=gpu \
		SLURM_JOB_ID=$job SLURM_RESTART_COUNT=$run \
		SLURM_PROCID=0 ASTRAEA_LEASE_GRACE="${grace-20}" \
		ASTRAEA_CHECKPOINT_SIGNAL="${signal-USR1}" \
		ASTRAEA_SOCKET="$work/none" \
		"$agent" --checkpoint-with="$work/tool" "$@" -- bash ./steps "${first-0}" \
		>>out 2>>err &
	pid=$!
}
folder() { echo "sfair-checkpoint.$job.batch.0"; }
steps() { wc -l 2>/dev/null <log || echo 0; }
has_more() { (($(steps) > $1)); }
goes_on() { wait_for has_more "$(steps)"; }
# The restored program is sfair-agent's own child once the checkpointer has ended;
# if the program ends before that, a shell as checkpointer takes its status away.
is_taken_over() { pgrep -P "$pid" -f '\./steps'; }
ends() {
	local code=0
	wait "$pid" || code=$?
	[[ $code == "$1" ]] || fail "ends with $code, not $1: $(cat err)"
}
once() { diff <(seq "$(steps)") log >&2 || fail "not every step once"; }
# The lease ends, and the job is requeued.
lease_ends() {
	goes_on
	kill -USR1 "$pid"
	ends 85
	once
	((++run))
}
fresh() {
	rm -rf sfair-checkpoint.* log out err mood dumping enough
	((++job))
	run=0
	touch log
}

# ---- Dump and restore, and what is left when all is done.

fresh
begin
lease_ends
[[ $(ls "$(folder)") == dump.0.2$'\n'lock.0$'\n'manifest$'\n'said ]] ||
	fail "$(ls "$(folder)")"
[[ $(stat -c %a "$(folder)") == 700 ]] || fail "others can look into it"
for _ in 1 2 3; do
	begin
	lease_ends
done
[[ $(ls -d "$(folder)"/dump.*) == "$(folder)/dump.3.2" ]] || fail "old dumps stay"
begin
goes_on
wait_for is_taken_over
touch enough
ends 0
once
[[ ! -e $(folder) ]] || fail "the dump stays"
[[ ! -s err ]] || fail "it says $(cat err)"

# ---- What others write to its files between the dump and the next start stays
# there; where it would be overwritten the dump is not restored.

fresh
export opens='exec 6>in_place'
begin
lease_ends
unset opens
count=$(steps)
echo "another job's" >>log
echo "another job's" >>in_place
begin
ends 124
says "somebody else has written $work/in_place since: it has 14 bytes, not 0"
[[ -s in_place ]] || fail "what another job wrote in place is gone"
truncate -s 0 in_place
begin
wait_for has_more $((count + 1))
kill_job
[[ $(grep -c another log) == 1 ]] || fail "what another job wrote is gone"

# ---- A dump that cannot be completed: the one before stays, and the job goes on
# till it is requeued. What it did meanwhile is done again, once.

fresh
begin
lease_ends
begin
goes_on
echo fails=1 >mood
kill -USR1 "$pid"
wait_for grep -F "there is no dump: dump: $work/tool: exited with 1" err
goes_on
[[ ! -e resumed ]] || fail "a dump that failed is said to have been complete"
kill_job
rm mood
((++run))
begin
lease_ends
says "done again, as the next one failed:"
says "dump: $work/tool: exited with 1"

# What it writes has to be cut back by name.
export opens="exec 6>>\$'log\\377'"
begin
goes_on
kill -USR1 "$pid"
wait_for grep -F "there is no dump: its manifest cannot be made: a name in it is no UTF-8" err
goes_on
[[ -e resumed ]] || fail "what the dump did to the processes stays"
kill_job
rm $'log\377'
unset opens
((++run))

# One that hangs is killed in time, and the job ends when Slurm says so.
echo hangs=1 >mood
grace=2
begin
goes_on
kill -USR1 "$pid"
wait_for grep -F "has not ended within" err
[[ $(jobs -p) == "$pid" ]] || fail "it has ended before it was requeued"
kill -TERM "$pid"
ends 137
unset grace
rm mood
((++run))
begin
lease_ends

# Killed in the middle of one.
for _ in 1 2 3; do
	rm -f dumping
	echo hangs=1 >mood
	begin
	goes_on
	kill -USR1 "$pid"
	wait_for test -e dumping
	kill_job
	rm mood
	((++run))
done
begin
lease_ends
[[ $(ls -d "$(folder)"/dump.*) == "$(folder)/dump.$((run - 1)).2" ]] ||
	fail "torn dumps stay"

# ---- What is not restored, and nothing runs then.

# refuses REASON [OPTION]...
refuses() {
	local reason=$1 before
	shift
	before=$(steps)
	begin "$@"
	ends 124
	says "$reason"
	[[ $(steps) == "$before" ]] || fail "it runs all the same"
}
# spoilt REASON COMMAND...: a good dump, and what is done to it, in its folder.
spoilt() {
	local reason=$1 good=good.$RANDOM
	shift
	cp -a "$(folder)" "$good"
	cp log log.good
	(cd "$(folder)" && "$@")
	refuses "$reason"
	rm -rf "$(folder)"
	mv "$good" "$(folder)"
	cp log.good log
}
dump=dump.$((run - 1)).2
spoilt "is torn: $work/$(folder)/$dump/memory has changed" \
	truncate -s 999 $dump/memory
spoilt "is torn: $work/$(folder)/$dump/memory has changed" \
	sh -c "printf 1 | dd of=$dump/memory seek=500 bs=1 conv=notrunc status=none"
spoilt "is torn: $work/$(folder)/$dump/state is gone" rm $dump/state
spoilt "$dump: No such file" rm -r $dump
spoilt "manifest: " truncate -s 0 manifest
spoilt "manifest: " truncate -s 300 manifest
spoilt "manifest: " sh -c 'head -c 5000 /dev/urandom >manifest'
spoilt "manifest: " sh -c 'rm manifest; mkdir manifest'
spoilt "its manifest names no dump" sh -c 'echo {} >manifest'
spoilt "its manifest is none" sed -i 's/"astraea": 1/"astraea": 2/' manifest
spoilt "its manifest names no dump" \
	sed -i 's,"dump": ",&../,' manifest
spoilt "of another kernel: 1.2.3, here $(uname -r)" \
	sed -i "s/\"kernel\": \"[^\"]*\"/\"kernel\": \"1.2.3\"/" manifest
spoilt "it is of job 1, run $((run - 1)), and this is job $job" \
	sed -i "s/\"job\": [0-9]*/\"job\": 1/" manifest
spoilt "it is of job $job, run $run, and this is job $job, run $run" \
	sed -i "s/\"run\": [0-9]*/\"run\": $run/" manifest
spoilt "of another with: criu" \
	sed -i "s,\"with\": \"[^\"]*\",\"with\": \"criu\"," manifest
spoilt "$work/log, which the program writes, is shorter" truncate -s 2 ../log
spoilt "$work/log, which the program writes: No such file" rm ../log
spoilt "no folder that you alone may write to" chmod g+w .
spoilt "no folder that you alone may write to" \
	sh -c 'mv "$PWD" "$PWD.moved" && ln -s "$PWD.moved" "$PWD"'
rm -rf ./*.moved
first=1 refuses 'of another command line than "bash ..."'
echo 'version="tool 2"' >mood
refuses "of another version: tool 1, here tool 2"
cp steps steps.good
echo : >>steps
echo >mood
refuses "another version of the program: $work/./steps has changed"
mv steps.good steps
echo cannot_restore=1 >mood
refuses "restore: $work/tool: exited with 1"
says "no room"
says "Remove it to have the program begin anew"
# It may have restored all, and what it has is killed.
echo says=none >mood
begin
ends 124
says 'prints "none", which is no process'
count=$(steps)
sleep 0.2
[[ $(steps) == "$count" ]] || fail "it runs on"
kill_job
# Of somebody else's process the end would not be known.
sleep 60 &
other=$!
echo other=$other >mood
begin
ends 124
says "prints \"$other\", which is no process that sfair-agent is the parent of"
kill $other
# It is whole again.
rm mood
begin
lease_ends

# ---- What cannot be is said before anything runs.

# Two programs of a job have two folders.
fresh
begin
goes_on
first=$pid
begin
ends 124
says "another sfair-agent of this job has its dumps in $work/$(folder): give each a --checkpoint-dir"
pid=$first
lease_ends

fresh
echo cannot=1 >mood
refuses "check: $work/tool: exited with 1"
says "not here"
rm mood
signal=none
refuses "sbatch --signal="
unset signal
refuses "/nonesuch: No such file" --checkpoint-dir=/nonesuch
[[ ! -s log ]] || fail "it has begun"

bad_use() {
	local reason=$1 code=0
	shift
	"$agent" "$@" -- true 2>err || code=$?
	[[ $code == 125 ]] || fail "$*: ends with $code"
	says "$reason"
}
bad_use "criu, or the absolute path" --checkpoint-with=cryo
bad_use "criu, or the absolute path" --checkpoint-with=
bad_use "goes with --checkpoint-with" --checkpoint-dir=/tmp
bad_use "do not go together" --checkpoint-with=criu --send=TERM

# Output that Slurm cuts would be lost.
code=0
env ASTRAEA_POOL=gpu SLURM_JOB_ID=$job ASTRAEA_LEASE_GRACE=9 \
	ASTRAEA_CHECKPOINT_SIGNAL=USR1 ASTRAEA_SOCKET="$work/none" \
	"$agent" --checkpoint-with="$work/tool" -- true >out 2>err || code=$?
[[ $code == 124 ]] || fail "output that is cut: $code"
says "sbatch --open-mode=append"

# ---- criu itself: what is wrong with it, where users may have namespaces.

if unshare --user --map-root-user --pid --fork --mount-proc true 2>/dev/null; then
	# with_criu COMMAND...: such an agent below it.
	with_criu() {
		code=0
		"$@" env ASTRAEA_POOL=gpu SLURM_JOB_ID=$job \
			ASTRAEA_LEASE_GRACE=9 ASTRAEA_CHECKPOINT_SIGNAL=USR1 \
			ASTRAEA_SOCKET="$work/none" \
			SFAIR_CRIU="$here/src/cmd/sfair-agent/sfair-criu" \
			PATH="$work/bin" \
			"$agent" --checkpoint-with=criu -- true >>out 2>>err ||
			code=$?
		[[ $code == 124 ]] || fail "$*: criu: ends with $code: $(cat err)"
	}
	mkdir bin
	for tool in sh env sed id head cat rm; do
		ln -s "$(command -v $tool)" bin
	done
	if ! PATH=/usr/local/sbin:/usr/sbin:/sbin command -v criu >/dev/null; then
		with_criu
		says "there is no criu here"
	fi
	printf '#!/bin/sh\necho "Version: 3.17.1"\n' >bin/criu
	chmod +x bin/criu
	with_criu
	says "criu 3.17.1 is too old: it takes 4.0"
	with_criu unshare --user --map-root-user sh -c \
		'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' -
	says "lets users have no namespaces of their own (cannot make them"

	# What is in GPUs is moved by NVIDIA's cuda-checkpoint before criu and
	# behind it. Stand-ins for both, and for a GPU.
	mkdir -p gpus dev dump/1
	printf '%s\n' /dev/null /dev/null /dev/null >dump/1/streams
	cat >gpus/criu <<-'EOT'
		#!/bin/sh
		case "$*" in
		*" --libdir "*) echo "criu $1, no plugins" ;;
		*) echo "criu $1" ;;
		esac >>calls
		echo 1 >dump/pid
		[ ! -e criu_fails ]
	EOT
	cat >gpus/cuda-checkpoint <<-'EOT'
		#!/bin/sh
		echo "${*% --pid *}" >>calls
		[ "${2-}" != "$(cat cuda_fails 2>/dev/null)" ] || { echo "busy"; exit 1; }
	EOT
	chmod +x gpus/*
	cat >on_gpu <<-'EOT'
		mount -t tmpfs none dev
		touch dev/null dev/nvidia0
		mount --bind /dev/null dev/null
		mount --rbind dev /dev
		sleep 600 3</dev/nvidia0 &
		rm -f calls
		code=0
		"$1" "$2" "$PWD/dump/1" $! >said 2>&1 || code=$?
		exit $code
	EOT
	# gpus CODE VERB CALL...
	gpus() {
		local expected=$1 verb=$2 code=0
		shift 2
		PATH=$work/gpus:$PATH unshare --user --map-root-user \
			--pid --fork --mount-proc sh on_gpu \
			"$here/src/cmd/sfair-agent/sfair-criu" "$verb" ||
			code=$?
		[[ $code == "$expected" ]] || fail "$verb: ends with $code: $(cat said)"
		diff <(printf '%s\n' "$@") calls >&2 || fail "$verb: other calls"
	}
	taken=("--get-restore-tid" "--action lock" "--action checkpoint")
	given=("--action restore" "--action unlock")
	gpus 0 dump "${taken[@]}" "criu dump, no plugins"
	gpus 0 resume "${given[@]}"
	gpus 0 restore "criu restore, no plugins" "${given[@]}"
	echo unlock >cuda_fails
	gpus 1 restore "criu restore, no plugins" "${given[@]}"
	grep -F "cuda-checkpoint: cannot unlock process" said >/dev/null ||
		fail "$(cat said)"
	rm cuda_fails
	touch criu_fails
	gpus 1 restore "criu restore, no plugins"
	gpus 1 dump "${taken[@]}" "criu dump, no plugins" "${given[@]}"
	grep -F "GPUs open of which cuda-checkpoint does not rid it" said \
		>/dev/null || fail "$(cat said)"
	echo checkpoint >cuda_fails
	gpus 1 dump "${taken[@]}" "${given[@]}"
	grep -F "cannot checkpoint process" said >/dev/null ||
		fail "$(cat said)"
	rm gpus/cuda-checkpoint
	gpus 1 dump "criu dump"
	grep -F "there is no cuda-checkpoint in the PATH" said >/dev/null ||
		fail "$(cat said)"
fi
