#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Four hyper-parameter apps of one team on 16 nodes of 4 GPUs in 4 racks, under
# stock Slurm, Policy=ltgf and Policy=themis: the largest finish-time fairness
# rho = T_SH / (N_avg T_ID) is lowest under Themis. A large search of 40 jobs is
# there first; 8 s later come searches of 4, 8 and 12 jobs. Jobs have 4 GPUs and
# checkpoint each step. About ten minutes; prints a table.
. "$(dirname "$0")/../lib/live.sh"

table=$(mktemp)

# Counts its steps of a second; a line of its file is a step and its checkpoint.
write_task() {
	cat >"$CLUSTER_DIR/out/task.sh" <<-'EOT'
		#!/bin/bash
		file=$OUT/steps.$1.$SLURM_ARRAY_TASK_ID
		trap 'exit 85' USR1
		step=$(wc -l <"$file" 2>/dev/null || echo 0)
		while ((step < $2)); do
			sleep 1 &
			wait $! || { wait; exit 85; }
			date "+$((++step)) %s.%N" >>"$file"
		done
	EOT
}

# app NAME JOBS SECONDS
app() {
	date "+$1 $2 $3 %s.%N" >>"$OUT/apps"
	submit --array="1-$2" --gres=gpu:4 --iterations="$3" --iter-time=1 \
		--signal=B:USR1@60 --requeue --open-mode=append \
		"$OUT/task.sh" "$1" "$3" >/dev/null
}

# Of stock Slurm, which does not know our options.
stock_app() {
	date "+$1 $2 $3 %s.%N" >>"$OUT/apps"
	submit --array="1-$2" --gres=gpu:4 "$OUT/task.sh" "$1" "$3" >/dev/null
}

# measure POLICY: a line of the table; each step was done once.
measure() {
	python3 - "$1" "$OUT" >>"$table" <<-'EOT'
		import glob, sys
		policy, folder = sys.argv[1:]
		apps, spans = {}, {}
		for line in open(folder + "/apps"):
		    name, jobs, seconds, begin = line.split()
		    apps[name] = int(jobs), int(seconds), float(begin)
		for name, (jobs, seconds, begin) in apps.items():
		    ends = []
		    for path in glob.glob(f"{folder}/steps.{name}.*"):
		        steps = [line.split() for line in open(path)]
		        assert [int(s[0]) for s in steps] == \
		            list(range(1, seconds + 1)), path
		        ends.append(float(steps[-1][1]))
		    assert len(ends) == jobs, name
		    spans[name] = begin, max(ends)
		rhos = []
		for name, (jobs, seconds, begin) in apps.items():
		    begin, end = spans[name]
		    beside = sum(max(0, min(end, e) - max(begin, b))
		                 for b, e in spans.values()) / (end - begin)
		    alone = max(seconds, jobs * seconds * 4 / min(64, jobs * 4))
		    rhos.append((end - begin) / (beside * alone))
		length = max(e for b, e in spans.values()) - \
		    min(b for b, e in spans.values())
		print("|", policy, "|", " | ".join(f"{r:.2f}" for r in rhos), "|",
		      f"{max(rhos):.2f} | {length:.0f} |")
	EOT
}

run() {
	local policy=$1 submit_app=app
	shift
	start_cluster --nodes 16 --gpus 4 --racks 4 "$@"
	export OUT=$CLUSTER_DIR/out
	write_task
	[[ $policy != stock ]] || submit_app=stock_app
	"$submit_app" large 40 50
	sleep 8
	"$submit_app" small 4 20
	"$submit_app" middle 8 20
	"$submit_app" wide 12 20
	all_done() { [[ -z $(squeue -h) ]]; }
	wait_for 900 all_done
	measure "$policy"
	"$live_lib/cluster" down "$CLUSTER_DIR"
	rm -rf "$CLUSTER_DIR"
}

run stock --stock
for policy in ltgf themis; do
	conf=$(mktemp)
	cat >"$conf" <<-EOT
		Pool=gpu Partitions=gpu Policy=$policy RoundInterval=1 LeaseTerm=10 CheckpointGrace=5
	EOT
	run "$policy" --astraea "$conf"
	rm -f "$conf"
done
unset CLUSTER_DIR

echo "| policy | large | small | middle | wide | max rho | makespan |"
echo "|---|---:|---:|---:|---:|---:|---:|"
cat "$table"
lowest=$(sort -t '|' -k 7n "$table" | head -n 1)
[[ $lowest == "| themis |"* ]] || fail "the largest rho is lowest in $lowest"
rm -f "$table"
