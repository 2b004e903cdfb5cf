# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of maintenances: source it after live.sh.
#
#   maintenance_cluster		start two nodes of 2 GPUs, with long leases
#   maintain NAME START [FLAG]	create a maintenance of all nodes; START: seconds
#				since the epoch
#   checkpoints SBATCH_ARGUMENT...	submit a job that says when each signal came,
#				and leaves with the checkpoint
#   runs JOB			wait until the job runs
#   seconds TIME		print the time in seconds since the epoch
#   lease_end JOB		print when the job's lease ends, in the same way
#   why JOB			print sfair why's answer on the job, in one line
#   waits JOB NAME		whether the job waits for that maintenance to be over
#   ends_before JOB		whether the job's lease ends $lead seconds before $begin

grace=4
# A job has $grace seconds, and KillWait, before the maintenance.
lead=$((grace + 5 + 1))

maintenance_cluster() {
	local conf
	conf=$(mktemp)
	echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=120 LeaseMax=3600 CheckpointGrace=$grace MinRunTime=2 ForecastInterval=2" \
		>"$conf"
	start_cluster --nodes 2 --gpus 2 --cpus 8 --astraea "$conf" \
		--slurm KillWait=5 \
		--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES DefaultTime=10:00 MaxTime=INFINITE State=UP'
	rm -f "$conf"
}

maintain() {
	scontrol create reservation users=root ReservationName="$1" \
		StartTime="$(date -d @"$2" +%FT%T)" Duration=60 Nodes=ALL \
		flags=maint"${3:+,$3}" >/dev/null
}

checkpoints() {
	submit --signal=USR1 --open-mode=append "$@" --wrap '
		trap "date +USR1\ %s; exit 85" USR1
		date +begin\ %s; while :; do sleep 1000 & wait; done'
}

runs() { wait_for 30 job_is "$1" RUNNING; }
seconds() { date -d "$1" +%s; }
lease_end() { seconds "$(sfair lease -nP -j "$1" -o LeaseEnd)"; }
why() { sfair why "$1" | tr -s ' \n' ' '; }
waits() {
	[[ $(job_reason "$1") == 'Lease: maintenance' &&
		$(reason_long "$1") == "Lease: maintenance $2 until "* ]]
}
# shellcheck disable=SC2154
ends_before() { (($(lease_end "$1") == begin - lead)); }
