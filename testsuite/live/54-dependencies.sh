#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Dependencies of and on leased jobs: a lease's end is no end of a job. One line
# "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

lease_cluster --slurm SchedulerParameters=bf_interval=2,batch_sched_delay=0

# Runs until it is told how to end; each run says its number.
cat >"$OUT/job" <<'EOT'
#!/bin/bash
trap 'exit 85' USR1
echo "run ${SLURM_RESTART_COUNT:-0}"
name=$OUT/end.$SLURM_JOB_NAME${SLURM_ARRAY_TASK_ID+.$SLURM_ARRAY_TASK_ID}
until [[ -e $name ]]; do sleep 0.1; done
exit "$(<"$name")"
EOT
leased() {
	local name=$1
	shift
	submit -J "$name" --gpus=1 --signal=B:USR1 --open-mode=append "$@" \
		"$OUT/job"
}
end() { echo "$2" >"$OUT/end.$1"; }
# Unmanaged ones, so that nothing but the dependency keeps them.
cpu_on() { submit -p cpu -d "$1" --wrap true; }
gpu_on() { submit --gpus=1 -d "$@" --wrap 'sleep 0.5'; }
waiting() {
	local id
	for id; do
		check_eq "dependent job $id" "PENDING Dependency" \
			"$(job_state "$id") $(job_reason "$id")"
	done
}
never() { says "$1" DependencyNeverSatisfied; }
done_is() { wait_for 60 job_is "$1" COMPLETED; }

good=$(leased good)
bad=$(leased bad)
pair=$(leased pair --array=1-2)
on_pair=$(submit --array=1-2 -p cpu -d "aftercorr:$pair" --wrap true)
gpu_on_pair=$(submit --array=1-2 --gpus=1 -d "aftercorr:$pair" \
	--wrap true)
for id in "$good" "$bad" "${pair}_1" "${pair}_2"; do runs "$id"; done

begun=$(cpu_on "after:$good")
done_is "$begun"
ok after
later=$(cpu_on "after:$good+60")
ended=$(cpu_on "afterany:$good")
ended_gpu=$(gpu_on "afterany:$good")
if_good=$(cpu_on "afterok:$good")
if_good_gpu=$(gpu_on "afterok:$good")
if_bad=$(cpu_on "afternotok:$bad")
if_bad_gpu=$(gpu_on "afternotok:$bad")
not_good=$(cpu_on "afternotok:$good")
bad_ok=$(gpu_on "afterok:$bad")
both=$(cpu_on "afterok:$good,afterany:$bad")
either=$(gpu_on "afterok:$bad?afterok:$good")
killed=$(submit --gpus=1 -d "afterok:$bad" --kill-on-invalid-dep=yes --wrap true)
all_wait=("$ended" "$ended_gpu" "$if_good" "$if_good_gpu" "$if_bad"
	"$if_bad_gpu" "$not_good" "$bad_ok" "$both" "$either" "$killed")

# ---- Two leases end, at once for all: nobody who depends may move.

take_back "$good" "$bad" "${pair}_1" "${pair}_2"
sleep 2
waiting "${all_wait[@]}" "${on_pair}_1" "${gpu_on_pair}_2"
give_back
for id in "$good" "$bad" "${pair}_1" "${pair}_2"; do restarts "$id" 1; done
for id in "$good" "$bad"; do runs "$id"; done
sleep 2
waiting "${all_wait[@]}" "${on_pair}_1" "${gpu_on_pair}_2"
ok no-dependency-fires-at-a-lease-end
waiting "$later"
ok after-with-delay-waits

# ---- They end.

end good 0
done_is "$good"
done_is "$ended"
done_is "$ended_gpu"
ok afterany
done_is "$if_good"
done_is "$if_good_gpu"
ok afterok
done_is "$either"
ok either-of-two
never "$not_good"
ok afternotok-never
waiting "$both"
ok both-of-two-wait
end bad 1
wait_for 60 job_is "$bad" FAILED
done_is "$if_bad"
done_is "$if_bad_gpu"
ok afternotok
done_is "$both"
ok both-of-two
never "$bad_ok"
ok afterok-never
wait_for 60 job_is "$killed" CANCELLED
ok kill-on-invalid-dep

end pair.1 0
done_is "${on_pair}_1"
done_is "${gpu_on_pair}_1"
check_eq "the other task's" PENDING "$(job_state "${on_pair}_2")"
end pair.2 3
wait_for 60 job_is "${pair}_2" FAILED
never "${on_pair}_2"
never "${gpu_on_pair}_2"
ok aftercorr
cancel_all

# ---- Singleton: one of a name and user at a time, over a lease's end too.

one=$(leased single -d singleton)
two=$(leased single -d singleton)
runs "$one"
waiting "$two"
ok singleton-waits
take_back "$one"
check_eq "second of a name" PENDING "$(job_state "$two")"
give_back
restarts "$one" 1
runs "$one"
waiting "$two"
ok singleton-over-lease-end
scancel "$one"
runs "$two"
ok singleton
cancel_all

# ---- A chain of leased jobs, and one on a cancelled job.

rm -f "$OUT"/end.*
head=$(leased chain)
mid=$(gpu_on "afterok:$head")
tail=$(gpu_on "afterok:$mid")
runs "$head"
end chain 0
done_is "$tail"
ok chain
head=$(leased gone -H)
after=$(cpu_on "afterany:$head")
lost=$(gpu_on "afterok:$head")
scancel "$head"
done_is "$after"
never "$lost"
ok dependency-on-cancelled
