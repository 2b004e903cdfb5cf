#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prolog and epilog, slurmctld's and the nodes', around each run of a leased job,
# and one that fails, as under stock Slurm. One line "ok NAME" for each meaning.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=2" \
	>"$conf"
start_cluster --nodes 2 --gpus 2 --cpus 8 --astraea "$conf"
rm -f "$conf"

# Each writes down who it is; a file beside makes it fail, or slow.
cat >"$CLUSTER_DIR/run/hook" <<EOT
#!/bin/bash
name=\${0##*/}
echo "\$name \$SLURM_JOB_ID \$CUDA_VISIBLE_DEVICES" >>$CLUSTER_DIR/log/hooks
sleep "\$(cat $CLUSTER_DIR/run/\$name.slow 2>/dev/null || echo 0)"
[[ ! -e $CLUSTER_DIR/run/\$name.fails ]]
EOT
chmod 755 "$CLUSTER_DIR/run/hook"
for name in prolog epilog ctldprolog ctldepilog; do
	ln "$CLUSTER_DIR/run/hook" "$CLUSTER_DIR/run/$name"
done
cat >>"$CLUSTER_DIR/etc/slurm.conf" <<EOT
Prolog=$CLUSTER_DIR/run/prolog
Epilog=$CLUSTER_DIR/run/epilog
PrologSlurmctld=$CLUSTER_DIR/run/ctldprolog
EpilogSlurmctld=$CLUSTER_DIR/run/ctldepilog
EOT
for node in n1 n2; do
	"$live_lib/cluster" stop "$CLUSTER_DIR" $node
	"$live_lib/cluster" start "$CLUSTER_DIR" $node
done
restart_slurmctld

runs() { wait_for 30 job_is "$1" RUNNING; }
says() { [[ $(job_reason "$1") == $2 ]]; }
ran() { (($(grep -c "^$1 $2 " "$CLUSTER_DIR/log/hooks" 2>/dev/null) >= $3)); }
node_is() { [[ $(sinfo -h -n "$1" -p gpu -o %T) == $2 ]]; }

id=$(submit --gres=gpu:1 --wrap 'sleep 2')
wait_for 30 job_is "$id" COMPLETED
for name in prolog epilog ctldprolog ctldepilog; do
	wait_for 20 ran $name "$id" 1
	check_eq "runs of $name" 1 \
		"$(grep -c "^$name $id " "$CLUSTER_DIR/log/hooks")"
	ok $name
done

# Once for each run of a job that is taken back.
first=$(submit --gres=gpu:2 -w n1 --wrap 'sleep 600')
runs "$first"
rival=$(submit --gres=gpu:2 -w n1 --wrap 'sleep 600')
wait_for 60 ran ctldprolog "$first" 2
wait_for 20 ran epilog "$first" 1
wait_for 20 ran epilog "$rival" 1
ok PrologSlurmctld-and-epilog-of-each-run
scancel "$first" "$rival"
wait_for 30 node_is n1 idle

# A slow epilog: the next job starts when it is over.
echo 4 >"$CLUSTER_DIR/run/epilog.slow"
export OUT=$CLUSTER_DIR/out
wait_go='until [ -e $OUT/$SLURM_JOB_ID.go ]; do sleep 0.2; done'
first=$(submit --gres=gpu:2 -w n1 --no-requeue --wrap "$wait_go")
runs "$first"
second=$(submit --gres=gpu:2 -w n1 --wrap "$wait_go")
touch "$OUT/$first.go"
runs "$second"
epilog_before() {
	local order
	order=$(grep -nE "^(epilog $first|prolog $second) " \
		"$CLUSTER_DIR/log/hooks" | cut -d: -f2 | cut -d' ' -f1 | xargs)
	[[ $order == "epilog prolog" ]]
}
wait_for 20 epilog_before
ok next-job-waits-for-the-epilog
rm "$CLUSTER_DIR/run/epilog.slow"
touch "$OUT/$second.go"
wait_for 30 job_is "$second" COMPLETED
wait_for 30 node_is n1 idle

# The controller's prolog fails: the job is requeued and held by it.
touch "$CLUSTER_DIR/run/ctldprolog.fails"
id=$(submit --gres=gpu:1 --wrap 'sleep 600')
wait_for 30 ran ctldprolog "$id" 1
failed() { [[ $(job_state "$id") == @(PENDING|REQUEUE_HOLD|SPECIAL_EXIT) ]]; }
wait_for 30 failed
ok failing-PrologSlurmctld-requeues
rm "$CLUSTER_DIR/run/ctldprolog.fails"
scancel "$id"

# A node's prolog fails: the node is drained, the job requeued and held.
touch "$CLUSTER_DIR/run/prolog.fails"
id=$(submit --gres=gpu:1 -w n2 --wrap 'sleep 600')
drained() { node_is n2 'drain*'; }
wait_for 30 drained
wait_for 30 says "$id" '*held*'
check_eq "its priority" 0 "$(job_field "$id" Priority)"
ok failing-prolog-drains-the-node-and-holds-the-job
rm "$CLUSTER_DIR/run/prolog.fails"
scontrol update NodeName=n2 State=RESUME
sleep 3
check_eq "a held job, with its node back" PENDING "$(job_state "$id")"
scontrol release "$id"
wait_for 20 says "$id" BeginTime # Slurm's own delay of a requeue
scontrol update JobId="$id" StartTime=now
runs "$id"
ok release-after-a-failed-prolog
scancel "$id"
wait_for 30 node_is n2 idle

# An epilog fails: the node is drained.
touch "$CLUSTER_DIR/run/epilog.fails"
id=$(submit --gres=gpu:1 -w n2 --wrap true)
wait_for 30 drained
ok failing-epilog-drains-the-node
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
