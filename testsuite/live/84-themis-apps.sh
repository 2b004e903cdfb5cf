#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis with apps of several jobs. Leases of an app end together, at the
# term, also of jobs that came in mid-term, and after kills of slurmctld, one of
# them right after a start; all of the app leaves to another and is back with one
# lease.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/apps.sh
. "$(dirname "$0")/../lib/apps.sh"
apps_cluster

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
wait_for 60 gone
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
ok leave-and-come-together
