#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An elastic job gets all that is idle also at a site whose job_submit.lua lets users
# change nothing of a job.
. "$(dirname "$0")/../lib/live.sh"

[[ -e $(system_plugindir)/job_submit_lua.so ]] ||
	skip "this Slurm has no job_submit/lua"
lua=$(mktemp -d)/job_submit.lua
cat >"$lua" <<'EOT'
function slurm_job_submit(desc, parts, uid)
	return slurm.SUCCESS
end
function slurm_job_modify(desc, job, parts, uid)
	if uid ~= 0 then
		return slurm.ERROR
	end
	return slurm.SUCCESS
end
return slurm.SUCCESS
EOT
start_cluster --nodes 1 --gpus 4 --slurm JobSubmitPlugins=astraea,lua --file "$lua"
rm -r "${lua%/*}"

id=$(as_other sbatch --parsable -o /dev/null --chdir=/ --gpus=1 --gpu-range=1-4 \
	--wrap 'sleep 600')
wait_for 30 job_is "$id" RUNNING
check_eq "GPUs that it asked for" 4 \
	"$(job_field "$id" TresPerJob | sed 's/.*://')"
! as_other scontrol update JobId="$id" Comment=mine 2>/dev/null ||
	fail "the rule is not in force"
