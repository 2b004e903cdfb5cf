#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=oasis with an elastic job: it runs on what others have not booked, over
# a kill of slurmctld, too, writes its checkpoint and goes on with more when its
# plan has more for it. A job that is worth less than it costs is told its price
# and what would change that, and so it is: one that is worth more is planned,
# and once those who booked are gone it runs itself. With Admission=refuse it is
# held. CPUs are booked beside GPUs.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=oasis LendIdle=no
	RoundInterval=1
	SlotLength=10
	PlanHorizon=200
	CheckpointGrace=3
EOT
start_cluster --accounting --nodes 1 --gpus 8 --cpus 16 --astraea "$conf"
rm -f "$conf"

# A line at the begin of each run, and one where it is told to leave.
cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
echo "run $ASTRAEA_GPUS after $ASTRAEA_GPUS_BEFORE here $SLURM_GPUS_ON_NODE"
trap 'echo "checkpoint at $ASTRAEA_GPUS"; exit 85' TERM
while :; do sleep 1000 & wait; done
EOT
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && [[ $(job_field "$1" TresPerJob) == *:"$2" ]]
}
job() { submit --no-requeue "$@" --wrap 'exec sleep 1000'; }
why() { sfair why "$1" | tr -s '\n ' ' '; }
says() { [[ $(why "$1" 2>/dev/null) == *"$2"* ]]; }

# ---- Of 8 GPUs one is booked for good and 3 for a minute; the elastic job has the
# ---- others, and 6 once that is over.

always=$(job --gres=gpu:1 --time=10 --utility=sigmoid:100,10,1)
wait_for 20 job_is "$always" RUNNING
first=$(submit --gres=gpu:3 --time=1 --utility=sigmoid:100,100,0.02 \
	--wrap 'exec sleep 45')
wait_for 20 job_is "$first" RUNNING
elastic=$(submit --gpus=1 --gpu-range=1-6 --time=2 --utility=sigmoid:100,200,0.045 \
	--cpus-per-gpu=2 --signal=B:TERM@5 --open-mode=append \
	"$CLUSTER_DIR/work.sh")
wait_for 20 has "$elastic" 4
check_eq "CPUs" 8 "$(squeue -h -j "$elastic" -o %C)"
# It may have less for the rest of the slot in which it comes, as for the last slots
# before it has more: what its work does not need of the dearest slots is not booked.
began() { [[ $(job_log "$elastic") == *"run 4 after "[0-4]" here 4" ]]; }
wait_for 20 began
ok starts-on-what-is-left

# ---- One that is worth next to nothing.

poor=$(job --gres=gpu:1 --time=2 --utility=sigmoid:0.000001,1,1)
wait_for 20 says "$poor" 'Its GPUs cost more now than it is worth'
why "$poor"
says "$poor" 'It is not refused for good: it is offered a schedule again in ' ||
	fail "it is not told when it is asked again"
costs=$(why "$poor" |
	sed -n 's/.*being worth more than \([0-9.e+-]*\) to its owner.*/\1/p')
[[ $costs ]] || fail "it is not told what would change it"
[[ $(job_reason "$poor") == "Lease: costs more than it is worth" ]] ||
	fail "squeue says $(job_reason "$poor")"
[[ $(reason_long "$poor") == "Lease: costs "*" now, is worth "* ]] ||
	fail "sfair job says $(reason_long "$poor")"
rich=$(job --gres=gpu:1 --time=2 \
	--utility="sigmoid:$(awk "BEGIN { print 10 * $costs }"),1,1")
planned() { [[ $(reason_long "$1") == "Lease: planned, "* ]]; }
wait_for 20 planned "$rich"
ok price-is-the-reason

# ---- slurmctld dies.

start_of() { squeue -h --start -j "$1" -o %S; }
start=$(start_of "$rich")
slurm_saves "$always"
restart_slurmctld KILL
wait_for 30 job_is "$elastic" RUNNING
wait_for 20 planned "$rich"
starts_as_planned() { [[ $(start_of "$rich") == "$start" ]]; }
wait_for 20 starts_as_planned
wait_for 20 says "$poor" 'It is not refused for good'
ok planned-as-before-a-kill

# ---- Its plan has more for it.

wait_for 90 has "$elastic" 6
resized() {
	[[ $(job_log "$elastic") == *"checkpoint at 4"*"run 6 after "[1-4]" here 6"* ]]
}
wait_for 20 resized
check_eq "CPUs" 12 "$(squeue -h -j "$elastic" -o %C)"
runs() {
	sacct -nXPD -j "$elastic" -o alloctres | grep -o 'gres/gpu=[0-9]*' |
		uniq | tr '\n' ' '
}
booked() { [[ $(runs) == *"gres/gpu=4 "*"gres/gpu=6 " ]]; }
wait_for 20 booked
ok grows

# ---- The admin has it refused: it is held, and told why.

set_conf Admission refuse
refused() { [[ $(job_reason "$1") == "Lease: refused by the policy" ]]; }
wait_for 40 refused "$poor"
check_eq "its priority" 0 "$(job_field "$poor" Priority)"
wait_for 20 says "$poor" 'It was refused (Admission) and is held: by the best schedule that there was, it costs '
reason=$(reason_long "$poor")
[[ $reason == "Lease: refused, costs "*", is worth "* ]] ||
	fail "sfair job says $reason"
scontrol hold "$poor" # by an administrator: its user cannot release it
wait_for 20 says "$poor" 'It is held by an administrator (JobHeldAdmin). '
scontrol release "$poor"
wait_for 20 refused "$poor"
ok refused

# ---- Those who booked are gone, and it is released.

scancel "$elastic" "$rich" "$always"
release() {
	scontrol release "$poor"
	sleep 2
	job_is "$poor" RUNNING
}
wait_for 30 release
ok cheaper

# ---- Two that take 10 of 16 CPUs with a GPU each: one is planned behind the other,
# ---- and CPUs have a price.

# Who comes while it is there still is planned behind it, and stays so.
scancel "$poor"
is_gone() { [[ ! $(squeue -h -j "$1" 2>/dev/null) ]]; }
wait_for 60 is_gone "$poor"
set_conf Admission wait
heavy() { job --gres=gpu:1 -c 10 --time=1 --utility=sigmoid:100,10,1; }
one=$(heavy)
wait_for 20 job_is "$one" RUNNING
other=$(heavy)
wait_for 20 planned "$other"
at() { date -d "$1" +%s; }
(($(at "$(start_of "$other")") >= $(at "$(job_field "$one" StartTime)") + 50)) ||
	fail "$other is to start at $(start_of "$other"), beside the other one"
costs=$(sfair price -nP -o PriceCPU | head -n 1)
awk "BEGIN { exit !(\"$costs\" ~ /^[0-9.]+\$/ && \"$costs\" > 0) }" ||
	fail "a CPU costs $costs"
ok cpus-are-booked
