# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of sfairsim replay; after live.sh.

# tenants NAME=SHARES...: add accounts that root may use, and wait until the engine
# knows them.
tenants() {
	local tenant
	for tenant in "$@"; do
		sacctmgr -i add account name="${tenant%=*}" \
			fairshare="${tenant#*=}" >/dev/null
		sacctmgr -i add user root account="${tenant%=*}" >/dev/null
	done
	tenants_known() {
		(($(sfair tenant -nP 2>/dev/null | grep -c .) >= $1))
	}
	wait_for 30 tenants_known $#
}

# close_enough RESULT SHARE ALL: fail unless the simulated GPU time differs by at
# most SHARE from each tenant's, and by ALL from the sum. Slurm's times are whole
# seconds. If the rounding of the two times of each run may weigh more, three
# standard deviations of that are allowed.
close_enough() {
	python3 - "$@" <<-'EOT' || fail "the simulator is too far off"
		import json, sys
		result = json.load(open(sys.argv[1]))
		share, whole = map(float, sys.argv[2:])
		bad = 0
		for row in result["tenants"] + [result["all"]]:
		    live, sim = row["live_gpu_sec"], row["sim_gpu_sec"]
		    limit = whole if row is result["all"] else share
		    slack = 3 * (row["live_runs_gpus_squared"] / 6) ** 0.5
		    if abs(sim - live) > max(limit * live, slack):
		        print(row)
		        bad = 1
		sys.exit(bad)
	EOT
}

no_folder() { ! compgen -G 'sfairsim-replay.*' >/dev/null; }
nothing_left() {
	check "no job is left: $(squeue -h)" test -z "$(squeue -h)"
	check "no folder is left" no_folder
}
