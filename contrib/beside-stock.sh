#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Replay the same hour of jobs on three clusters, and compare them in one table.
#
#   contrib/beside-stock.sh [--seeds N,...] [--clusters NAME,...] [--short]
#                           [--keep FOLDER]
#
#   --seeds N,...  replay the hour of each of these seeds [1]
#   --clusters NAME,...  these alone [stock,tuned,ours]
#   --short        a few short jobs only: does it work here?
#   --keep FOLDER  keep what was measured, one JSON file a replay; the table is of
#                  all that is there
#   --help         this text
#
# The clusters are stock Slurm as it comes; stock Slurm as GPU sites with a public
# configuration set it, with fairshare, QOS, preemption and requeue; and Astraea
# with leases, where half of the jobs declare no checkpoint (Unprepared=share). Each
# has two nodes with 8 emulated GPUs each, real daemons and slurmdbd. A large tenant
# floods it, two small ones come later. One second stands for half a minute.
# contrib/beside-stock has the jobs and the configurations, with their sources.
#
# Four minutes a cluster, after setting up. Needs root.
#
# Exit status: 0 if all jobs finished on all clusters, else 1.

set -euo pipefail
umask 022 # jobs run as other users, too

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
here=$top/contrib/beside-stock
nodes=2 gpus=8
seeds=1 clusters=stock,tuned,ours short=() keep='' dir='' up='' child=''

say() { echo "== $*"; }

die() {
	echo "beside-stock.sh: error: $*" >&2
	exit 1
}

usage() { sed -n '/^# Replay/,/^# Exit/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

parse_options() {
	while (($#)); do
		case $1 in
		--short) short=(--short) ;;
		--seeds) seeds=${2?} && shift ;;
		--clusters) clusters=${2?} && shift ;;
		--keep) keep=$(realpath -m "${2?}") && shift ;;
		-h | --help) usage && exit 0 ;;
		*) die "unknown option $1: see contrib/beside-stock.sh --help" ;;
		esac
		shift
	done
	[[ $seeds =~ ^[0-9]+(,[0-9]+)*$ ]] || die "--seeds $seeds: not N,..."
	[[ $clusters =~ ^((stock|tuned|ours)(,|$))+$ ]] ||
		die "--clusters $clusters: not of stock, tuned, ours"
}

stop_cluster() {
	[[ ! $up ]] || "$top/testsuite/lib/cluster" down "$dir/cluster"
	up=''
}

cleanup() {
	local status=$?
	trap - EXIT
	trap '' INT TERM HUP
	[[ ! $child ]] || kill "$child" 2>/dev/null || true
	stop_cluster || status=1
	[[ ! $dir ]] || rm -rf "$dir"
	exit "$status"
}

# Lets slurmctld look at usage every 10 s: see period.c.
make_period() {
	cc -shared -fPIC -O2 -o "$dir/period.so" "$here/period.c" -ldl
}

# start_cluster CONF OPTION...: with the lines of CONF in its slurm.conf, where DIR is
# the cluster's folder.
start_cluster() {
	local conf=$1 line
	shift
	[[ ! $conf ]] || while read -r line; do
		set -- "$@" --slurm "${line//DIR/$dir/cluster}"
	done < <(grep -v '^#' "$conf")
	rm -rf "$dir/cluster" && mkdir "$dir/cluster"
	up=1
	"$top/testsuite/lib/cluster" up "$dir/cluster" --accounting \
		--nodes "$nodes" --gpus "$gpus" "$@" >/dev/null
}

# Accounts with the tenants' weights as shares, and their users.
add_tenants() {
	local tenant weight users user
	while read -r tenant weight users; do
		sacctmgr -i add account name="$tenant" fairshare="$weight"
		for user in $users; do
			sacctmgr -i add user name="$user" account="$tenant"
		done
	done < <(python3 -B -c 'import sys
sys.path.insert(0, sys.argv[1])
import load
for account, users, weight in load.TENANTS:
    print(account, weight, *users)' "$here")
}

add_qos() {
	local line
	while read -r line; do
		# shellcheck disable=SC2086
		sacctmgr -i $line
	done < <(grep -v '^#' "$here/tuned.qos")
	sacctmgr -i modify account root set qos=normal,low,long,interactive
}

# replay SEED NAME QOS: on the cluster that is up. It ends the shell, which is to be
# one in the background: it takes the cluster's env.
replay() {
	# shellcheck source=/dev/null
	. "$dir/cluster/env"
	add_tenants >/dev/null
	[[ ! $3 ]] || add_qos >/dev/null
	sleep 2 # until slurmctld and the plugins have heard of the accounts
	rm -rf "$dir/work" && mkdir -p "$dir/work" && mkdir -m 1777 "$dir/work/jobs"
	cp "$here/job.sh" "$top/contrib/examples/steps.py" "$dir/work"
	exec python3 -B "$here/replay.py" --seed "$1" --name "$2" \
		--gpus $((nodes * gpus)) --output "$results/$2.$1.json" \
		${3:+--qos} "${short[@]}" "$dir/work"
}

# cluster SEED NAME QOS CONF OPTION...: one replay on a cluster of its own, since
# fair shares remember what was.
cluster() {
	local seed=$1 name=$2 qos=$3 begun=$SECONDS
	shift 3
	say "$name, seed $seed: starting the cluster"
	start_cluster "$@"
	say "$name, seed $seed: replaying the hour"
	replay "$seed" "$name" "$qos" &
	child=$!
	wait "$child" # so that a signal to us is handled at once
	child=''
	stop_cluster
	say "$name, seed $seed: done, $((SECONDS - begun)) s"
}

# replay_on NAME SEED
replay_on() {
	case $1 in
	stock) cluster "$2" stock '' "$here/stock.conf" --stock ;;
	tuned)
		SLURMCTLD_PRELOAD=$dir/period.so \
			cluster "$2" tuned qos "$here/tuned.conf" --stock
		;;
	ours)
		cluster "$2" ours '' "$here/ours-slurm.conf" \
			--astraea "$here/ours.conf"
		;;
	esac
}

parse_options "$@"
((EUID == 0)) || die "only root can run Slurm's daemons"
export ASTRAEA_BUILDDIR=${ASTRAEA_BUILDDIR:-$top/build}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$top/build-aux/build.sh" --verbose
dir=$(mktemp -d "${TMPDIR:-/tmp}/astraea-beside.XXXXXX")
chmod 755 "$dir"
results=${keep:-$dir/results}
mkdir -p "$results"
make_period
for seed in ${seeds//,/ }; do
	for name in ${clusters//,/ }; do replay_on "$name" "$seed"; done
done
echo
shopt -s nullglob
python3 -B "$here/table.py" "$results"/{stock,tuned,ours}.*.json
say "Done after $((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))"
