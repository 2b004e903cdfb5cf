/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/check/steps.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

bool astra_steps_have(const char *list, const char *kind, const char *name)
{
	size_t size = strlen(kind);

	while (list && *list) {
		size_t length = strcspn(list, ", ");
		bool long_form = !strncasecmp(list, kind, size);
		const char *at = list + (long_form ? size : 0);

		if (list + length == at + strlen(name) &&
		    !strncasecmp(at, name, strlen(name)))
			return true;
		list += length + strspn(list + length, ", ");
	}
	return false;
}

void astra_steps_warn(const struct astra_steps *steps, bool leases,
		      struct astra_error *out)
{
	bool gate = astra_steps_have(steps->burst_buffer, "burst_buffer/",
				     "astraea");
	bool engine =
		gate || astra_steps_have(steps->scheduler, "sched/", "astraea");

	if (leases && !gate)
		astra_error_add(out,
				"slurm.conf lacks %sBurstBufferType="
				"burst_buffer/astraea: there are no leases, "
				"GPU jobs run until they end (Leases=no if "
				"that is meant)",
				engine ? ""
				       : "SchedulerType=sched/astraea and ");
	if (!astra_steps_have(steps->priority, "priority/", "ltgf"))
		astra_error_add(out, "slurm.conf lacks PriorityType="
				     "priority/ltgf: squeue and sprio do not "
				     "show the order in which jobs go, and "
				     "where Slurm starts them it is not fair");
	if ((engine || leases) &&
	    !astra_steps_have(steps->job_submit, "job_submit/", "astraea"))
		astra_error_add(out,
				"slurm.conf lacks JobSubmitPlugins=astraea: "
				"jobs that can never run, as 9 GPUs on nodes "
				"of 8, are taken and wait for ever");
}
