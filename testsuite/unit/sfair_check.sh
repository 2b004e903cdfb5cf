#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair check: what a file has wrong is told with file, line, key and value, and
# what it would change, without any daemon.
set -euo pipefail

build=${top_builddir:-$(cd "$(dirname "$0")/../.." && pwd)/build}
build=$(cd "$build" && pwd)
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
status=0
if [ ! -x "$build/sfair" ]; then
	echo "SKIP: sfair is not built"
	exit 77
fi
cd "$tools"
mkdir state
cat >base.conf <<EOT
ClusterName=c
SlurmctldHost=h
SlurmUser=$(id -un)
StateSaveLocation=$tools/state
GresTypes=gpu
NodeName=n[1-2] CPUs=4 Gres=gpu:8
PartitionName=gpu Nodes=n1
PartitionName=cpu Nodes=n2
EOT
all='SchedulerType=sched/astraea
BurstBufferType=burst_buffer/astraea
PriorityType=priority/ltgf
JobSubmitPlugins=lua,astraea'

# site LINE...: slurm.conf has these lines, too.
site() { { cat base.conf; printf '%s\n' "$@"; } >slurm.conf; }

check() { "$build/sfair" check --slurm-conf="$tools/slurm.conf" "$@"; }

# says "TEXT..." LINE...: of a file with these lines check prints exactly that,
# and takes it.
says() {
	local wanted=$1 got rc=0
	shift
	printf '%s\n' "$@" >new.conf
	got=$(check new.conf 2>&1) || rc=$?
	[ "$rc" = 0 ] && [ "$got" = "$wanted" ] && return
	printf 'of\n%s\ncheck says (%s)\n%s\nnot\n%s\n\n' "$*" "$rc" "$got" \
		"$wanted"
	status=1
}

# refused TEXT LINE...: the file is refused, with exactly that.
refused() {
	local wanted="sfair: error: $tools/$1" got
	shift
	printf '%s\n' "$@" >new.conf
	if got=$(check new.conf 2>&1) || [[ $got != "$wanted"* ]]; then
		printf 'of\n%s\ncheck says\n%s\nnot\n%s\n\n' "$*" "$got" \
			"$wanted"
		status=1
	fi
}

pool='Pool=gpu Partitions=gpu'
good="$tools/new.conf: good; pools: 1, each account is a tenant"
same='compared with what runs: nothing changes'
site "$all"

# ---- Nothing runs yet.
says "$good
nothing to compare with: no plugin has run yet with $tools/state" "$pool"
mv state elsewhere
says "$good
what runs is not known here: no copy of it can be read (as root, on slurmctld's host)" \
	"$pool"
mv elsewhere state
printf '%s\n' "$pool" >astraea.conf
says "$good
compared with $tools/astraea.conf:
pool gpu: Policy=ltgf becomes themis" "$pool Policy=themis"

# ---- What is wrong.
refused 'new.conf: line 2: Partitions=gpuu: there is no partition gpuu' \
	'# a typo' 'Pool=gpu Partitions=gpuu'
refused 'new.conf: line 2: Partitions=a,b: there is no partition a, nor any' \
	"$pool" 'Pool=x Partitions=a,b'
refused 'new.conf: line 1: LeaseTerm=soon: a time is' LeaseTerm=soon "$pool"
refused 'new.conf: line 2: LeaseTrem=60: there is no such key' "$pool" \
	LeaseTrem=60
refused 'new.conf: no Pool= line' LeaseTerm=60
refused 'new.conf: line 1: Pool=gpu: History=no: Leases=watch reads the history' \
	"$pool Leases=watch" History=no
refused 'new.conf: line 1: Pool=gpu: Leases=watch: Policy=themis allocates leases' \
	"$pool Leases=watch Policy=themis"
refused 'more.conf: No such file or directory' "$pool" 'Include more.conf'
echo 'GPUWeight=a100:0' >more.conf
refused 'more.conf: line 1: GPUWeight=a100:0: the weight of a100' "$pool" \
	'Include more.conf'
rm new.conf
[[ $(check new.conf 2>&1) == "sfair: error: new.conf: No such file"* ]] || {
	echo "of a file that is not there: $(check new.conf 2>&1)"
	status=1
}

# ---- What slurm.conf lacks.
cp astraea.conf state/astraea-conf
lacks="$good
warning: slurm.conf lacks"
site "${all/BurstBufferType/#}"
says "$lacks BurstBufferType=burst_buffer/astraea: there are no leases, GPU jobs run until they end (Leases=no if that is meant)
$same" "$pool"
says "$good
compared with what runs:
pool gpu: Leases=yes becomes no" "$pool Leases=no"
says "$good
compared with what runs:
pool gpu: Leases=yes becomes watch" "$pool Leases=watch"
site "$(sed '/^SchedulerType/d; /^BurstBufferType/d' <<<"$all")"
says "$lacks SchedulerType=sched/astraea and BurstBufferType=burst_buffer/astraea: there are no leases, GPU jobs run until they end (Leases=no if that is meant)
$same" "$pool"
site "${all/PriorityType/#}"
says "$lacks PriorityType=priority/ltgf: squeue and sprio do not show the order in which jobs go, and where Slurm starts them it is not fair
$same" "$pool"
site "${all/,astraea/}"
says "$lacks JobSubmitPlugins=astraea: jobs that can never run, as 9 GPUs on nodes of 8, are taken and wait for ever
$same" "$pool"
site "$all"

# ---- What is lived with, and may be as it should on slurmctld's host.
printf '%s\n' "$pool" Listen=localhost:7000 HistoryFile=/nonexist/x \
	Socket=/nonexist/y 'Tenant=a Users=root,gamess' >state/astraea-conf
says "$tools/new.conf: good; pools: 1, tenants: 1
warning: Listen=localhost:7000: the address is no number: nobody is answered on the network
warning: Socket=/nonexist/y: there is no folder /nonexist on this host: slurmctld's needs one
warning: HistoryFile=/nonexist/x: there is no folder /nonexist on this host: slurmctld's needs one
warning: Tenant=a: Users=gamess: there is no such user on this host
$same" "$pool" Listen=localhost:7000 HistoryFile=/nonexist/x \
	Socket=/nonexist/y 'Tenant=a Users=root,gamess'
cp astraea.conf state/astraea-conf
says "$good
warning: $tools/new.conf: line 2: Partitions=gpu: there is another Partitions= on that line, and the last one counts
warning: $tools/new.conf: line 4: leaseterm=15:00: there is another leaseterm= above it, and the last one counts
$same" LeaseTerm=300 'Pool=gpu Partitions=cpu Partitions=gpu \' ' Policy=ltgf' \
	leaseterm=15:00
cp astraea.conf state/astraea-conf
says "$good
warning: $tools/new.conf: line 1: onunfit: this release has no such option, and ignores it
warning: $tools/new.conf: line 2: BatchEpoch: this release has no such option, and ignores it
$same" onunfit=tenant "$pool BatchEpoch=7-0 OnUnfit=job"

# ---- What would change, however it is written; and nothing else.
printf '%s\n' "$pool LeaseTerm=600" 'Pool=old Partitions=cpu' \
	'Tenant=a Users=root Weight=2' 'Tenant=b Users=daemon' \
	>state/astraea-conf
says "$tools/new.conf: good; pools: 2, tenants: 2
$same" LeaseTerm=10:00 'pool=gpu partitions=gpu' 'Pool=old LeaseTerm=15:00 \' \
	' Partitions=cpu' 'Tenant=b Users=daemon Weight=1' \
	'Tenant=a Users=root Weight=2'
says "$tools/new.conf: good; pools: 2, tenants: 2
warning: $tools/new.conf: line 1: Partitions=gpu,late: there is no partition late
compared with what runs:
pool old goes: Slurm alone schedules its jobs, without leases
pool gpu: partition late comes
pool gpu: LeaseTerm=600 becomes 300
pool new comes: partitions cpu
tenant b goes
tenant a: Weight=2 becomes 3
tenant a has other accounts or users
tenant c comes: weight 1
Listen=(none) becomes 7000 at slurmctld's next start
LeaseProgram=(none) becomes /bin/true
HistoryDays=0 becomes 30 at slurmctld's next start
running leases keep their end; later ones have the new LeaseTerm" \
	'Pool=gpu Partitions=gpu,late LeaseTerm=300' 'Pool=new Partitions=cpu' \
	'Tenant=a Users=bin Weight=3' 'Tenant=c Users=daemon' Listen=7000 HistoryDays=30 \
	LeaseProgram=/bin/true
quiet=$(check -Q astraea.conf 2>&1)
[ -z "$quiet" ] || {
	echo "-Q says $quiet"
	status=1
}
# Without --slurm-conf slurmctld is asked for its jobs; where that is in vain, as
# where Slurm lacks its plugin, nothing is said of it.
site AuthType=auth/none-such
asked=$(SLURM_CONF=$tools/slurm.conf "$build/sfair" check new.conf 2>&1) || {
	echo "a file that is good is refused where nobody can be asked"
	status=1
}
[[ $asked == "$tools/new.conf: good;"* && $asked != *error:* ]] || {
	printf 'where nobody can be asked check says\n%s\n' "$asked"
	status=1
}

[ "$status" -ne 0 ] || echo "check: as it should be"
exit "$status"
