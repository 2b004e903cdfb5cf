#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair doctor: of a whole installation nothing is to be mended, and what an
# admin leaves out or breaks is named, with what to do. One line "ok NAME" each.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu CheckpointGrace=60" >"$conf"
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
etc=$CLUSTER_DIR/etc
plugins=$CLUSTER_DIR/astraea

# finds STATUS PATTERN [OPTION]...: doctor ends so, and says that in a line.
finds() {
	local want=$1 pattern=$2 got=0 text
	shift 2
	text=$(sfair doctor "$@" 2>&1) || got=$?
	text=$(tr -s ' \n' '  ' <<<"$text")
	# shellcheck disable=SC2053 # a pattern is meant
	[[ $got == "$want" && $text == $pattern ]] ||
		fail "status $got: $text"
}
answers() { sfair diag >/dev/null 2>&1; }

wait_for 30 answers
finds 0 'good this sfair is for Slurm *good sbatch knows --lease*good the plugins are in *good astraea.conf has no error*good the plugin in slurmctld * answers*well, but for warnings: errors: 0, warnings: 1 '
finds 0 'warning no slurmdbd *' --quiet
nap 8 # the last round is not the time of slurmctld's host
finds 0 'warning no slurmdbd *' --quiet
chmod 644 "$etc/astraea.conf"
text=$(as_other sfair doctor) || fail "to a user: $text"
[[ $text == *well* && $text != *StateSave* ]] || fail "to a user: $text"
ok "a whole installation"

id=$(submit --gres=gpu:1 --wrap 'sleep 600')
deaf=$(submit --gres=gpu:1 --signal=B:USR1@30 --wrap 'sleep 600')
wait_for 30 job_is "$id" RUNNING
wait_for 30 job_is "$deaf" RUNNING
wait_for 30 finds 0 '*warning 1 of 2 job records have no checkpoint signal, of root: * --signal=USR1 *'
scancel "$id" "$deaf"
ok "jobs that begin anew"

echo 'RequeueExitHold=84-86' >>"$etc/slurm.conf"
finds 1 '*error RequeueExitHold=84-86 of slurm.conf has 85, CheckpointExit of pool gpu: *sfair: error: 1 of these is to be mended *'
sed -i '/RequeueExitHold/d; s/^KillWait=.*//' "$etc/slurm.conf"
echo 'KillWait=120' >>"$etc/slurm.conf"
finds 0 '*warning pool gpu: KillWait=120s is longer than CheckpointGrace=60s: *'
sed -i '/^KillWait/d' "$etc/slurm.conf"
cp "$etc/slurm.conf" "$etc/kept"
sed -i 's/^PartitionName=gpu .*/& MaxTime=10/; s/^GresTypes=.*/GresTypes=license/' \
	"$etc/slurm.conf"
finds 1 '*error slurm.conf has no GresTypes=gpu*warning partition gpu: MaxTime of 10 min is no longer than LeaseTerm*'
cp "$etc/kept" "$etc/slurm.conf"
sed -i 's/^JobSubmitPlugins=.*/&,lua/' "$etc/slurm.conf"
finds 0 '*warning JobSubmitPlugins=astraea,lua: what lua changes in a job is not checked: put astraea last *'
cp "$etc/kept" "$etc/slurm.conf"
sed -i 's/^GresTypes=.*/GresTypes=gpumem,gpu/' "$etc/slurm.conf"
finds 0 'good *errors: 0, *'
cp "$etc/kept" "$etc/slurm.conf"
ok "times and codes that do not fit"

echo 'Pool=gpu Partitions=gpu LeaseTrem=5' >"$etc/bad"
mv "$etc/astraea.conf" "$etc/good"
cp "$etc/bad" "$etc/astraea.conf"
finds 1 '*error */astraea.conf: line 1: LeaseTrem=5: *'
mv "$etc/good" "$etc/astraea.conf"
mv "$plugins/job_submit_astraea.so" "$plugins/away"
finds 1 '*error JobSubmitPlugins: job_submit_astraea.so is not in PluginDir=*'
mv "$plugins/away" "$plugins/job_submit_astraea.so"
ok "a file that lacks, an admin's typo"

finds 0 '*sbatch knows --lease*' --host
mv "$etc/plugstack.conf" "$etc/away"
finds 0 '*warning sbatch does not know --lease: plugstack.conf lacks *' --host
mv "$etc/away" "$etc/plugstack.conf"
mv "$plugins/spank_astraea.so" "$plugins/away"
if (($(slurm_release) >= 2511)); then
	finds 0 '*warning sbatch does not know --lease: *, or this host has no such file*' --host
else
	finds 1 '*error sbatch says: *spank_astraea.so*: install spank_astraea.so on this host*' --host
fi
mv "$plugins/away" "$plugins/spank_astraea.so"
ok "the options of sbatch"

# doc/admins.md, step 3.
nodes_without() {
	# shellcheck disable=SC2016
	srun -p gpu -N"$1" --ntasks-per-node=1 sh -c \
		'srun --help | grep >/dev/null -e --lease || echo $SLURMD_NODENAME' | sort | xargs
}
nodes=$(sinfo -h -p gpu -o %D)
check_eq "nodes without the SPANK plugin" '' "$(nodes_without "$nodes")"
mv "$etc/plugstack.conf" "$etc/away"
check_eq "nodes without the SPANK plugin" "$(scontrol show hostnames \
	"$(sinfo -h -p gpu -o %N)" | sort | xargs)" "$(nodes_without "$nodes")"
mv "$etc/away" "$etc/plugstack.conf"
ok "nodes without the SPANK plugin"

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
finds 1 '*good astraea.conf has no error*error *slurmctld*to be mended *'
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 30 answers
"$live_lib/cluster" stop "$CLUSTER_DIR" munged
finds 1 '*error *munge*'
"$live_lib/cluster" start "$CLUSTER_DIR" munged
wait_for 30 finds 0 '*well*'
ok "daemons that are down"
