#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis with apps of several jobs. Leases of an app end together, at the
# term, also of jobs that came in mid-term, and after kills of slurmctld, one of
# them right after a start; all of the app leaves to another and is back with one
# lease. An elastic job of an app has what the app wins: less beside another app,
# more alone, by squeue, scontrol, its environment and sacct; two of an app do not
# grow into each other.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0
	RoundInterval=1
	LeaseTerm=30
	CheckpointGrace=3
EOT
start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf"
rm -f "$conf"

# A line at the begin of each run, and one where it is told to leave.
cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
echo "run ${ASTRAEA_GPUS:--} after ${ASTRAEA_GPUS_BEFORE:--}"
trap 'echo checkpoint; exit 85' TERM
while :; do sleep 0.2; done
EOT
job() { # APP ARGUMENT...
	submit --app="$1" --signal=B:TERM@60 --open-mode=append "${@:2}" \
		"$CLUSTER_DIR/work.sh"
}
story() { grep -E '^(run|checkpoint)' "$CLUSTER_DIR/out/$1" | xargs; } # JOB
all_are() { # STATE JOB...
	local id
	for id in "${@:2}"; do
		job_is "$id" "$1" || return 1
	done
}

list() { # WORD...: with commas between
	local IFS=,
	echo "$*"
}

# ends JOB...: when their leases end, each moment once; by the report of one
# round.
cat >"$CLUSTER_DIR/ends.py" <<'EOT'
import json, subprocess, sys
leases = json.loads(subprocess.check_output(
    ("sfair", "lease", "--json", "-j", ",".join(sys.argv[1:]))))["leases"]
if sorted(lease["id"] for lease in leases) != sorted(map(int, sys.argv[1:])):
    sys.exit("not all have a lease")
print(*sorted({lease["lease_end_sec"] for lease in leases}))
EOT
ends() { python3 "$CLUSTER_DIR/ends.py" "$@"; }
together() { # JOB...: all of them run, and their leases end at one term's end
	local end
	end=$(ends "$@" 2>/dev/null) && [[ $end =~ ^[0-9]+$ ]] &&
		((end % 30 == 0))
}
a_later_end() { # THAN JOB...
	together "${@:2}" && (($(ends "${@:2}") > $1))
}
# as_before END JOB...: they are to end then, or if that is over at a later term's
# end.
as_before() {
	local end now
	end=$(ends "${@:2}")
	now=$(date +%s)
	[[ $end == "$1" ]] || { ((now >= $1)) && a_later_end "$1" "${@:2}"; } ||
		fail "the leases of $* end at $end after a kill, it is $now"
}

# ---- Three jobs of an app, one after the other in a term.

search=("$(job search --gres=gpu:1)")
wait_for 30 all_are RUNNING "${search[@]}"
search+=("$(job search --gres=gpu:2)")
wait_for 30 all_are RUNNING "${search[@]}"
sleep 5
search+=("$(job search --gres=gpu:1)")
wait_for 30 all_are RUNNING "${search[@]}"
wait_for 70 together "${search[@]}"
ok end-together

# ---- A kill, and one right after another job of the app began.

end=$(ends "${search[@]}")
restart_slurmctld KILL
wait_for 30 together "${search[@]}"
as_before "$end" "${search[@]}"
search+=("$(job search --gres=gpu:1)")
wait_for 30 job_is "${search[3]}" RUNNING
restart_slurmctld KILL
wait_for 30 together "${search[3]}"
wait_for 70 together "${search[@]}"
end=$(ends "${search[@]}")
wait_for 70 a_later_end "$end" "${search[@]}"
for id in "${search[@]}"; do
	check_eq "what job $id wrote" "run - after -" "$(story "$id")"
done
ok end-together-after-kills

# ---- Another app has all GPUs, as its little work makes it the worst off: all of
# ---- this one leave. Once that is gone all are back.

rival=$(job rival -N2 --gres=gpu:4 --iterations=5 --iter-time=1)
wait_for 120 job_is "$rival" RUNNING
told() { # all of them wait, and why
	[[ $(squeue -h -t PD -j "$(list "${search[@]}")" -o %r |
		grep -c '^Lease: ') == "${#search[@]}" ]]
}
wait_for 60 told
scancel "$rival"
wait_for 60 all_are RUNNING "${search[@]}"
wait_for 70 together "${search[@]}"
back() {
	local id
	for id in "${search[@]}"; do
		[[ $(story "$id") == \
			"run - after - checkpoint run - after -" ]] || return 1
	done
}
wait_for 20 back
scancel "${search[@]}"
gone() { [[ -z $(squeue -h) ]]; }
wait_for 60 gone
ok leave-and-come-together

# ---- An elastic job of an app, alone.

asks() { [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && asks "$1" "$2" &&
		[[ $(squeue -h -j "$1" -O tres-alloc:120) =~ gres/gpu=$2(,|\ |$) ]]
}
wrote() { [[ $(story "$elastic") == "$1" ]]; }
elastic=$(job train --gpus=1 --gpu-range=1-6 --cpus-per-gpu=2)
wait_for 30 has "$elastic" 6
check_eq "CPUs" 12 "$(squeue -h -j "$elastic" -o %C)"
wait_for 20 wrote "run 6 after 0"
rigid=$(job train --gpus=1)
wait_for 60 job_is "$rigid" RUNNING
wait_for 70 together "$elastic" "$rigid"
has "$elastic" 6 || fail "its size is $(job_field "$elastic" TresPerJob)"
ok alone-it-has-its-most

# ---- Beside an app that wants a node, its app wins the other one.

rival=$(job rival -N1 --gres=gpu:4)
wait_for 120 job_is "$rival" RUNNING
wait_for 60 has "$elastic" 3
check_eq "CPUs" 6 "$(squeue -h -j "$elastic" -o %C)"
wait_for 20 wrote "run 6 after 0 checkpoint run 3 after 6"
wait_for 60 together "$elastic" "$rigid"
end=$(ends "$elastic" "$rigid")
restart_slurmctld KILL
wait_for 30 together "$elastic" "$rigid"
as_before "$end" "$elastic" "$rigid"
wait_for 70 a_later_end "$end" "$elastic" "$rigid" "$rival"
has "$elastic" 3 || fail "its size is $(job_field "$elastic" TresPerJob)"
ok with-a-competitor-less

scancel "$rival"
wait_for 120 has "$elastic" 6
check_eq "CPUs" 12 "$(squeue -h -j "$elastic" -o %C)"
wait_for 20 wrote \
	"run 6 after 0 checkpoint run 3 after 6 checkpoint run 6 after 3"
booked() {
	local runs
	runs=$(sacct -nXPD -j "$elastic" -o alloctres |
		grep -o 'gres/gpu=[0-9]*' | xargs)
	[[ $runs == "gres/gpu=6 gres/gpu=3 gres/gpu=6" ]]
}
wait_for 30 booked
wait_for 70 together "$elastic" "$rigid"
scancel "$elastic" "$rigid"
wait_for 60 gone
ok alone-more-again

# ---- Two elastic jobs of an app share what it wins, and neither grows into the
# ---- other's GPUs.

pair=()
for _ in 1 2; do
	pair+=("$(job pair -H --gpus=2 --gpu-range=2-8)")
done
scontrol release "$(list "${pair[@]}")"
wait_for 120 together "${pair[@]}"
stand() { # what they have, and how often they began
	local id
	squeue -h -j "$(list "${pair[@]}")" -S i -O jobid,tres-alloc:120
	for id in "${pair[@]}"; do
		grep -c '^run' "$CLUSTER_DIR/out/$id"
	done
}
began() { stand >"$CLUSTER_DIR/out/stand"; }
wait_for 20 began
for _ in 1 2 3; do
	wait_for 70 a_later_end "$(ends "${pair[@]}")" "${pair[@]}"
	check_eq "what they have" "$(<"$CLUSTER_DIR/out/stand")" "$(stand)"
done
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
ok share-and-stay
