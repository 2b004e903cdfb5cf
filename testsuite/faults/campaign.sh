#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Injure a cluster again and again, and look whether anything was lost.
#
#   campaign.sh [--faults N] [--seed S] [--jobs N] [--kinds K,K...]
#               [--every-point PART/PARTS] [--nodes N] [--no-accounting] [--stock]
#               [--policy NAME] [--elastic PERCENT]
#
#   --faults N       so many, at random [20]
#   --seed S         the same seed draws the same faults and jobs [1]
#   --jobs N         so many jobs that are not done, all the time [50]
#   --kinds K,...    only these kinds; see kinds.py for the names
#   --every-point 1/3  besides, every fault point of the first third once
#   --no-accounting  without slurmdbd: GPU time is not compared with sacct's
#   --policy NAME    of the pool [ltgf]
#   --elastic P      so many percent of the jobs are elastic, by --gpu-range,
#                    -N MIN-MAX or --workers [0]
#   --stock          plain Slurm for comparison, without leases
#
# Prints a line a fault and a summary, and ends with 1 if an invariant was
# violated: no job runs twice at once, none is lost, none is restarted after it
# completed, each lease is where it was or properly ended, GPU time agrees with
# sacct's, slurmctld answers and dumps no core; an elastic job has the GPUs, nodes,
# tasks and CPUs that squeue, scontrol, sfair and sacct know, within its range. What
# the jobs wrote down themselves is the proof.
#
# Fault points need a build with --enable-fault-points (testsuite/lib/variant).
. "$(dirname "$0")/../lib/live.sh"

faults=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nodes=5 policy=ltgf limit=60 stock='' accounting=--accounting mounted=''
arguments=()
while (($#)); do
	case $1 in
	--stock) stock=--stock ;;
	--no-accounting) accounting='' ;;
	--nodes) nodes=$2 && shift ;;
	--policy) policy=$2 && shift ;;
	--elastic | --every-point | --faults | --seed | --jobs | --kinds)
		arguments+=("$1" "${2?a value for $1}") && shift
		;;
	*) fail "unknown option $1" ;;
	esac
	shift
done

# Where it is possible, the state lies on a small file system of its own, which
# can be full or read-only. slurmctld keeps 10 KiB of each job: there is room for ten
# thousand, and a campaign of 200 faults has some 2,500.
mount_state() {
	mkdir "$CLUSTER_DIR/aside"
	cp -a "$CLUSTER_DIR/state/." "$CLUSTER_DIR/aside/"
	mount -t tmpfs -o size=128m,mode=755 state "$CLUSTER_DIR/state" \
		2>/dev/null || return 0
	cp -a "$CLUSTER_DIR/aside/." "$CLUSTER_DIR/state/"
	mounted=--mounted
}

campaign_end() {
	local status=$?
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL || true
	# For who looks into a violation, beside the logs: see KEEP_CLUSTER.
	[[ ! $mounted ]] || cp -a "$CLUSTER_DIR/state" "$CLUSTER_DIR/log/" || true
	[[ ! $mounted ]] || umount -l "$CLUSTER_DIR/state" || status=1
	live_end "$status"
}

make_shim() {
	SHIM_FILE=$CLUSTER_DIR/run/shim
	head -c 16 /dev/zero >"$SHIM_FILE"
	cc -O1 -shared -fPIC -o "$CLUSTER_DIR/run/shim.so" "$faults/shim.c" \
		-ldl || return 0
	SLURMCTLD_PRELOAD=$CLUSTER_DIR/run/shim.so
	export SHIM_FILE SLURMCTLD_PRELOAD
}

make_accounts() {
	local account
	for account in red:2 blue:1 green:1; do
		sacctmgr -iQ add account "${account%:*}" \
			fairshare="${account#*:}" >/dev/null
		sacctmgr -iQ add user root account="${account%:*}" >/dev/null
	done
}

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=$policy RoundInterval=1 LeaseTerm=6
	CheckpointGrace=3
	SlotLength=10
	PlanHorizon=3600
EOT
# What plans by the jobs' time limits plans for what they need.
[[ $policy != @(*incentive|*oasis|*ogasched) ]] || limit=3
# shellcheck disable=SC2086
start_cluster $stock $accounting --nodes "$nodes" --gpus 4 \
	--astraea "$conf" --slurm MinJobAge=7200 --slurm MaxJobCount=20000
rm -f "$conf"
mkdir -m 1777 "$CLUSTER_DIR/out/runs"
trap campaign_end EXIT
[[ ! $accounting ]] || make_accounts
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
mount_state
make_shim
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld

points=$(grep -rhoE 'ASTRA_FAULT\("[a-z.-]+"\)' "$top/src" |
	cut -d'"' -f2 | sort -u | xargs)
[[ $(nm -D "${ASTRAEA_PLUGINDIR:-${ASTRAEA_BUILDDIR:-$top/build}}/libastraea.so") == *astra_fault_here* ]] || points=
# shellcheck disable=SC2086
python3 "$faults/campaign.py" "$CLUSTER_DIR" --nodes "$nodes" $stock $mounted \
	$accounting --limit "$limit" --points "$points" "${arguments[@]}"
