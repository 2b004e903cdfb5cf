# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stock cluster of one node, as Debian's packages make it; sourced by the
# scenes, inside a root of their own.

ctld_log=/var/log/slurm/slurmctld.log
state=/var/lib/slurm/slurmctld
# The network is the machine's, with others' clusters on it.
port=$((20000 + RANDOM % 10000))

fail() {
	echo "FAILED: $*" >&2
	tail -n 20 "$ctld_log" >&2
	exit 1
}

# shows TITLE: what a user sees now.
shows() {
	echo "--- $*"
	squeue -o '%.4i %.8j %.6u %.2t %.6M %.4C %.11b %R' -S i
}

# until_true SECONDS WHAT COMMAND...
until_true() {
	local left=$1 what=$2
	shift 2
	until "$@"; do
		((left-- > 0)) || fail "not within the time: $what"
		sleep 1
	done
}

# state_of JOB: PENDING, RUNNING, or nothing.
state_of() { squeue -h -j "$1" -o %T 2>/dev/null; }
is() { [[ $(state_of "$1") == "$2" ]]; }

ctld_answers() { scontrol ping 2>/dev/null | grep >/dev/null 'is UP'; }

restart_ctld() {
	service slurmctld restart >/dev/null 2>&1 || :
	until_true 30 "slurmctld answers" ctld_answers
}

# submit USER NAME GPUS: prints the job's id.
submit() {
	(cd /tmp && runuser -u "$1" -- sbatch --parsable -J "$2" -n1 \
		--gres="gpu:$3" -o /dev/null --requeue --wrap 'sleep 100000')
}

stock_conf() {
	hostname node1
	grep -q node1 /etc/hosts || echo "127.0.0.1 node1" >>/etc/hosts
	mkdir -p /etc/slurm /var/log/slurm
	cat >/etc/slurm/slurm.conf <<-EOT
	ClusterName=stock
	SlurmctldHost=node1(127.0.0.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	SlurmUser=slurm
	StateSaveLocation=$state
	SlurmdSpoolDir=/var/lib/slurm/slurmd
	SlurmctldPidFile=/run/slurmctld.pid
	SlurmdPidFile=/run/slurmd.pid
	SlurmctldLogFile=$ctld_log
	SlurmdLogFile=/var/log/slurm/slurmd.log
	SlurmdParameters=config_overrides
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	GresTypes=gpu
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerType=sched/backfill
	SchedulerParameters=batch_sched_delay=0,bf_interval=2
	ReturnToService=2
	NodeName=node1 NodeAddr=127.0.0.1 CPUs=32 Gres=gpu:4 State=UNKNOWN
	PartitionName=gpu Nodes=node1 Default=YES MaxTime=INFINITE State=UP
	EOT
	mkdir -p /var/lib/gpus
	touch /var/lib/gpus/nvidia{0..3}
	echo 'NodeName=node1 Name=gpu File=/var/lib/gpus/nvidia[0-3]' \
		>/etc/slurm/gres.conf
	if [[ $(slurmd -V) == *" 22."* ]]; then
		echo CgroupPlugin=cgroup/v1
	else
		echo CgroupPlugin=disabled
	fi >/etc/slurm/cgroup.conf
}

stock_up() {
	local user
	# Packages start and restart their daemons, as on a host.
	printf '#!/bin/sh\nexit 0\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
	stock_conf
	for user in alice bob; do
		id "$user" >/dev/null 2>&1 || useradd -m "$user"
	done
	mkdir -p /run/munge && chown munge: /run/munge
	service munge start >/dev/null
	service slurmctld start >/dev/null
	service slurmd start >/dev/null
	until_true 30 "slurmctld answers" ctld_answers
	until_true 30 "the node is there" \
		bash -c 'sinfo -h -o %T | grep >/dev/null -E "idle|mixed"'
}

stock_down() {
	local name
	scancel --user alice >/dev/null 2>&1 || :
	scancel --user bob >/dev/null 2>&1 || :
	for name in slurmd slurmctld munge; do
		service "$name" stop >/dev/null 2>&1 || :
	done
}

# Our lines, as doc/admins.md tells them, and back.
plugin_lines() {
	sed -i '/^SchedulerType=/d' /etc/slurm/slurm.conf
	cat >>/etc/slurm/slurm.conf <<-EOT
	SchedulerType=sched/astraea
	BurstBufferType=burst_buffer/astraea
	PriorityType=priority/ltgf
	JobSubmitPlugins=astraea
	EOT
	cat >/etc/slurm/astraea.conf <<-EOT
	LeaseTerm=15
	CheckpointGrace=2
	RoundInterval=1
	Pool=gpu Partitions=gpu Policy=ltgf
	Tenant=alice Users=alice
	Tenant=bob Users=bob
	EOT
}

stock_lines() {
	sed -i '/astraea$/d; /ltgf$/d' /etc/slurm/slurm.conf
	echo SchedulerType=sched/backfill >>/etc/slurm/slurm.conf
}
