#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair why names what keeps a job, with its numbers and what would change it,
# as text and for programs; what it says agrees with Slurm. Coordinators of an
# account see what is in it, others what PrivateData lets through. One line
# "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=3600 CheckpointGrace=9 FairWithin=job" \
	>"$conf"
start_cluster --needs minage=300 --nodes 1 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos \
	--slurm AccountingStorageTRES=gres/gpu --slurm Licenses=matlab:2
rm -f "$conf"
as_coord() { setpriv --reuid daemon --regid daemon --clear-groups "$@"; }
mgr() { sacctmgr -i -Q "$@" >/dev/null; }
mgr add qos tight
mgr modify qos tight set MaxTRESPerUser=gres/gpu=1
mgr add account lab
mgr add account other
mgr modify account other set GrpTRES=gres/gpu=1
mgr add user root account=lab qos+=tight
mgr add user root account=other
mgr add user games account=other
mgr add user daemon account=other
mgr add coordinator account=lab names=daemon

says() { # JOB TEXT...
	local id=$1 text
	text=$(sfair why -v "$id" 2>/dev/null | tr '\n' ' ') || fail "sfair why $id"
	shift
	for want; do
		[[ $text == *"$want"* ]] || fail "\"$text\" lacks \"$want\""
	done
}
knows() { sfair why "$1" 2>/dev/null | tr '\n' ' ' | grep -F "$2" >/dev/null; }
soon() { wait_for 20 knows "$@"; }
# VALUE of an expression over the object w, "why" of the reply.
json() { # JOB EXPRESSION
	sfair why "$1" --json | python3 -c '
import json, sys
reply = json.load(sys.stdin)
w = reply["why"]
print(eval(sys.argv[1]))' "$2"
}
is() { # JOB EXPRESSION WANT
	check_eq "$2 of job $1" "$3" "$(json "$1" "$2")"
}
task='trap "" USR1; sleep 600 & wait; wait'
lab() { submit -A lab --gres=gpu:1 "$@" --wrap "$task"; }

wait_for 20 lab --test-only >/dev/null 2>&1
run=$(lab --gres=gpu:3 --signal=B:USR1)
soon "$run" 'holds 3 GPUs'
one=$(submit -A other --gres=gpu:1 --wrap 'sleep 600')
soon "$one" 'holds 1 GPU'
grp=$(submit -A other --gres=gpu:1 --wrap 'sleep 600')
big=$(lab --gres=gpu:4)
held=$(lab -H)
stopped=$(lab)
scontrol hold "$stopped"
dep=$(lab -d "afterok:$run")
later=$(lab --begin=now+3600)
soon "$later" 'begin time, in 59 min'
says "$later" 'StartTime=now'
is "$later" 'round(w["binds"][0]["time_sec"] - reply["time_sec"], -2)' 3600
ok begin-time
qos=$(lab --qos=tight --gres=gpu:2)
matlab=$(lab -L matlab:2)
cpu=$(submit -A lab -p cpu --wrap 'sleep 600')
none=$(submit -A lab --wrap 'sleep 600')
gone=$(submit -A lab -p cpu --wrap true)

soon "$big" 'It is the first'
says "$big" "waits in pool gpu for 4 GPUs" "its tenant's rho is" \
	"of a share of 2"
[[ $(sfair why "$big") != *"end of the lease"* ]] ||
	fail "a lease of fewer GPUs is offered: $(sfair why "$big")"
is "$big" 'w["binds"][0]["kind"] in ("rank", "hold_gpus")' True
is "$big" '(w["job"]["rank"], w["first"], w["tenant"]["quota_gpus"])' \
	'(1, None, 2)'
ok waiting

soon "$held" 'held by its user (JobHeldUser)'
says "$held" "scontrol release $held."
is "$held" '[b["kind"] for b in w["binds"]]' "['hold']"
soon "$stopped" 'held by an administrator'
says "$stopped" 'held by an administrator' \
	"scontrol release $stopped, by an administrator"
scontrol release "$held"
wait_for 20 job_is "$held" PENDING
soon "$held" 'in line'
ok held-until-released

soon "$dep" "waits for job"
says "$dep" "waits until job $run (RUNNING) has ended well (afterok)"
is "$dep" '(w["binds"][0]["job"], w["binds"][0]["state"])' "($run, 'RUNNING')"
ok dependent

soon "$qos" 'QOSMaxGRESPerUser'
says "$qos" 'The QOS tight lets user root have at most 1 GPU at a time' \
	'MaxTRESPerUser=gres/gpu=1' 'asking for at most 1 GPU;'
is "$qos" '[w["binds"][0][k] for k in ("of", "limit", "used", "asked")]' \
	"['QOS tight', 1, 0, 2]"
soon "$grp" 'The account other'
says "$grp" 'The account other lets all its jobs have at most 1 GPU' \
	'GrpTRES=gres/gpu=1, AssocGrpGRES); 1 GPU is in use'
is "$grp" 'w["binds"][0]["used"]' 1
# What it advises helps.
advice=$(json "$grp" 'next(c for c in w["changes"] if "sacctmgr" in c)')
advice=${advice%, by*}
check_eq "the advice" "sacctmgr modify account other set GrpTRES=gres/gpu=2" \
	"$advice"
${advice/modify/-i modify} >/dev/null
soon "$grp" 'in line'
ok limit-bound

says "$run" "holds 3 GPUs on n1" "Its lease, number 1, ends in" "SIGUSR1" \
	'First in line is job'
is "$run" '(w["phase"], w["binds"], w["lease_end_sec"] > 0)' \
	"('leased', [], True)"
ok running

soon "$matlab" 'in line'
array=$(lab --array=1-4%1)
soon "$array" "Job ${array}_["
soon "${array}_3" "Job ${array}_["
says "$array" "stands for 4 array tasks" \
	"runs at most 1 task at a time (%1), and 0 run" "room for 1 of the 4" \
	"JobId=$array ArrayTaskThrottle=4"
is "$array" '[w["array"][k] for k in ("waiting", "most", "running")]' \
	'[4, 1, 0]'
ok array

says "$cpu" 'asks for no GPU' 'in partition cpu'
says "$none" 'asks for no GPU' 'in partition gpu'
wait_for 20 job_is "$gone" COMPLETED
says "$gone" 'ended COMPLETED' "sacct -j $gone"
is "$gone" 'w["managed"]' False
! out=$(sfair why 424242 2>&1) || fail "said of no job: $out"
check_eq "an unknown job" 1 "$(grep -c '^sfair: error: job 424242: ' <<<"$out")"
ok unmanaged-ended-unknown

# ---- Who sees it.

as_other sfair why "$grp" >/dev/null || fail "hidden without PrivateData"
echo PrivateData=jobs,usage >>"$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
others=$(as_other sbatch --parsable -A other -o /dev/null --chdir=/ \
	--gres=gpu:1 --wrap 'sleep 600')
hidden() { [[ $(as_other sfair job -nP -o JobID) == "$others" ]]; }
wait_for 20 hidden
! out=$(as_other sfair why "$grp" 2>&1) || fail "told of another's: $out"
out=$(as_other sfair why "$others" --json | python3 -c '
import json, sys
w = json.load(sys.stdin)["why"]
print([b.get("id") for b in w["before"]], w["tenant"]["rho"] is None)')
[[ $out == *None*False ]] || fail "what a user sees of others: $out"
ok private-data
seen() { # COMMAND...: accounts of the jobs, tenants
	echo "$("$@" sfair job -nP -o Account | sort -u | xargs):" \
		"$("$@" sfair tenant -nP -o Tenant | sort | xargs)"
}
check_eq "what the coordinator of lab sees" "lab: lab" "$(seen as_coord)"
check_eq "what squeue shows it" lab \
	"$(as_coord squeue -h -p gpu -o %a | sort -u | xargs)"
as_coord sfair why "$qos" >/dev/null || fail "hidden from the coordinator"
check_eq "what root sees" "lab other: lab other" "$(seen env)"
mgr modify user daemon set adminlevel=operator
all() { [[ $(seen as_coord) == "$(seen env)" ]]; }
wait_for 20 all
ok coordinators-and-operators

# ---- The limit of an array binds, and what is advised helps.

scancel -p gpu
empty() { [[ -z $(squeue -h -p gpu -o %i) ]]; }
wait_for 60 empty
array=$(lab --array=1-4%1)
soon "$array" 'and 1 task runs; the next one starts'
is "$array" '[b["kind"] for b in w["binds"]]' "['array']"
is "$array" '[w["binds"][0][k] for k in ("name", "limit", "used")]' \
	"['JobArrayTaskLimit', 1, 1]"
is "$array" 'list(w["array"].values())' '[3, 1, 1]'
advice=$(json "$array" 'w["changes"][0]')
check_eq "the advice" "scontrol update JobId=$array ArrayTaskThrottle=2" \
	"$advice"
$advice
soon "$array" 'and 2 tasks run; the next one starts'
scontrol update JobId="$array" ArrayTaskThrottle=1
soon "$array" 'at most 1 task at a time (%1), and 2 tasks run'
ok array-limit
