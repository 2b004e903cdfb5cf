# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of the baselines: source it after live.sh.
#
#   baseline_cluster POLICY	start two nodes of 4 GPUs, with tenants a and b of
#				equal weight
#   policy POLICY		cancel all jobs, and set the policy
#   job GPUS SBATCH_ARGUMENT...	submit a job of tenant a, unless the arguments name
#				another; prints the job's id
#   elastic RANGE SBATCH_ARGUMENT...	submit an elastic job in the same way
#   lease_end JOB		print when the job's lease ends, as JSON
#   has_lease_end JOB		whether sfair knows the job, and its lease ends
#   ends_with JOB SECONDS	whether the lease's end is a multiple of so many seconds
#   running_are A B		whether A jobs of tenant a run, and B of tenant b
#   running TENANT		print how many jobs of the tenant run
#   restarts JOB N		fail unless the job was requeued N times
#   has_left JOB		whether the job was requeued

baseline_cluster() {
	local conf
	conf=$(mktemp)
	cat >"$conf" <<-EOT
		Pool=gpu Partitions=gpu Policy=$1 RoundInterval=1 LeaseTerm=10 CheckpointGrace=2 MinRunTime=1
		Tenant=a Accounts=a Weight=1
		Tenant=b Accounts=b Weight=1
	EOT
	start_cluster --nodes 2 --gpus 4 --astraea "$conf" \
		--node 'n1 Gres=gpu:a100:4' --node 'n2 Gres=gpu:a100:4'
	rm -f "$conf"
}

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
policy_is() { sfair diag | grep -i >/dev/null "policy.*$1"; }
policy() {
	scancel -u root
	wait_for 60 clean
	set_conf Policy "$1"
	wait_for 10 policy_is "$1"
}

job() { submit --gres="gpu:$1" -A a "${@:2}" --wrap 'sleep 900'; }
elastic() {
	submit --gpus=1 --gpu-range="$1" -A a "${@:2}" --wrap 'sleep 900'
}

lease_end() {
	sfair job -j "$1" --json | python3 -c '
import json, sys
print(json.dumps(json.load(sys.stdin)["jobs"][0]["lease_end_sec"]))'
}
has_lease_end() { [[ $(lease_end "$1" 2>/dev/null) == [0-9]* ]]; }
ends_with() {
	local end
	end=$(lease_end "$1" 2>/dev/null) || return
	[[ $end == [0-9]* ]] && ((end % $2 == 0))
}

running() { squeue -h -t R -A "$1" -o %i | wc -l; }
running_are() { [[ "$(running a) $(running b)" == "$1 $2" ]]; }
restarts() { check_eq "restarts of $1" "$2" "$(job_field "$1" Restarts)"; }
has_left() { (($(job_field "$1" Restarts) > 0)); }
