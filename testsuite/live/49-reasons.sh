#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# squeue's reason of jobs of many kinds, over many rounds: one of the texts of
# src/model/brief.c, or a word of Slurm's own; nothing else, and no number. Where
# nothing happens no reason is written, so that squeue and its like fetch nothing anew.
# ReasonDetail=yes brings numbers back. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,gpu2 RoundInterval=1 LeaseTerm=3600 CheckpointGrace=2 RecallAfter=0 ForecastInterval=2" \
	>"$conf"
start_cluster --needs 'minage=300 select=CR_Core_Memory' --nodes 4 --gpus 4 --cpus 16 \
	--astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n[1-3] Default=YES DefaultTime=1-0 MaxTime=INFINITE State=UP' \
	--slurm 'PartitionName=gpu2 Nodes=n4 DefaultTime=1-0 MaxTime=INFINITE State=UP' \
	--slurm Licenses=matlab:1
rm -f "$conf"
seen=$CLUSTER_DIR/out/seen
: >"$seen"
look() { squeue -h -t PD -o '%r' >>"$seen"; }

# ---- Jobs of many kinds, one after the other; each is looked at as it comes.

job() {
	id=$(sleeper "$@")
	look
}
job -N2 --gres=gpu:4 -w 'n[1-2]'
fill=$id
runs "$fill"
job --gres=gpu:2 --mem=60000 -w n3 --no-requeue
pinned=$id
runs "$pinned"
job -p gpu2 -c 15 # a job of Slurm's own: it has the CPUs of n4
cpus=$id
runs "$cpus"
job -p gpu --gres=gpu:1 -L matlab:1
runs "$id"
scontrol update nodename=n4 state=drain reason=order
declare -A of
while read -r name args; do
	# shellcheck disable=SC2086
	job $args
	of[$name]=$id
done <<-EOT
	one --gres=gpu:1
	two --gpus=2
	named --gres=gpu:4 -w n1
	gang -N3 --gres=gpu:4
	memory --gres=gpu:1 --mem=30000 -w n3
	all --gpus=12
	exclusive --exclusive --gres=gpu:1
	elastic --gpu-range=2-4
	array --array=1-5%1 --gres=gpu:1
	short --gres=gpu:2 -t 5
	nice --nice=1000 --gres=gpu:1
	held -H --gres=gpu:1
	later --begin=now+1hour --gres=gpu:1
	after -d afterok:$fill --gres=gpu:1
	licence -L matlab:1 --gres=gpu:1
	unleased --no-requeue --gpus=12
	unleased2 --no-requeue --gpus=12
	drained -p gpu2 --gres=gpu:1
EOT
srun -Q --gres=gpu:4 true >/dev/null 2>&1 &
interactive=$!
for _ in $(seq 30); do
	look
	sleep 0.5
done
scontrol create reservation ReservationName=power users=root Nodes=n1,n2,n3 flags=maint,ignore_jobs \
	StartTime=now+40 Duration=60 >/dev/null
for _ in $(seq 20); do
	look
	sleep 0.5
done
scontrol delete ReservationName=power
kill "$interactive"
wait "$interactive" || true

# ---- What was seen.

sort "$seen" | uniq -c | sort -rn
sed -n 's/^\t\[ASTRA_BRIEF_.*\] = "\(Lease: .*\)",$/\1/p' "$top/src/model/brief.c" \
	>"$CLUSTER_DIR/out/texts"
check "the texts of brief.c" test -s "$CLUSTER_DIR/out/texts"
others=$(sort -u "$seen" | grep -vxFf "$CLUSTER_DIR/out/texts" |
	grep -vxE '[A-Za-z]+|ReqNodeNotAvail, .*' || true)
check_eq "reasons that are no words of Slurm, nor in brief.c" '' "$others"
ours=$(sort -u "$seen" | grep -c '^Lease: ')
((ours >= 5 && ours <= 12)) || fail "$ours reasons of ours"
for text in 'waits for its turn' 'GPUs are being collected'; do
	check "somebody waits with: $text" grep -qx "Lease: $text" "$seen"
done
ok reasons-are-fixed-texts

# ---- Nothing happens: nothing is written. What is foreseen changes, though.

set_conf ForecastInterval none

rounds() { sfair diag --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["diag"]["rounds"])'; }
cat >"$CLUSTER_DIR/out/changed.py" <<'EOT'
"""Whether slurmctld's jobs have changed since a time."""
import ctypes, ctypes.util, glob, os, sys
prefix = os.environ.get("ASTRAEA_SLURM")
names = glob.glob(prefix + "/lib/libslurm.so") if prefix else []
slurm = ctypes.CDLL(names[0] if names else ctypes.util.find_library("slurm"),
                    mode=ctypes.RTLD_GLOBAL, use_errno=True)
slurm.slurm_init(None)
jobs = ctypes.c_void_p()
rc = slurm.slurm_load_jobs(ctypes.c_long(int(sys.argv[1]) + 1),
                           ctypes.byref(jobs), ctypes.c_uint16(1))
sys.exit(0 if rc == 0 else 1 if ctypes.get_errno() == 1900 else 2)
EOT
changed_since() { python3 "$CLUSTER_DIR/out/changed.py" "$1"; }
rounds_on() { (($(rounds) >= $1)); }
quiet() {
	local since
	since=$(date +%s)
	wait_for 60 rounds_on $(($(rounds) + 4))
	changed_since "$since" && return 1
	(($? == 1)) || fail "libslurm cannot tell whether jobs have changed"
}
scontrol update JobId="${of[held]}" Comment=x
changed_since $(($(date +%s) - 2)) || fail "a change is not seen"
wait_for 60 quiet
quiet || fail "reasons are written where nothing happens"
ok nothing-is-written-where-nothing-happens

# ---- The long form.

set_conf ReasonDetail yes
long() { squeue -h -t PD -o %r | grep >/dev/null '^Lease: waits its turn, rank [0-9]* of [0-9]*$'; }
wait_for 30 long
set_conf ReasonDetail no
fixed() { ! squeue -h -t PD -o %r | grep >/dev/null '^Lease: .*[0-9]'; }
wait_for 30 fixed
ok reason-detail
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
