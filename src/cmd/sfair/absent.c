/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin's socket is not there: slurmctld is down, runs on another host, or
 * has not loaded the plugin. Slurm is asked which. */
#include <config.h> /* Slurm's */
#include <string.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/read_config.h"

#define HOST_BYTES 256

/* The controller that answers, or -1. */
static int answering(void)
{
	for (uint32_t i = 0; i < slurm_conf.control_cnt; i++)
		if (slurm_ping((int)i) == SLURM_SUCCESS)
			return (int)i;
	return -1;
}

static bool is_here(const char *machine)
{
	char host[HOST_BYTES] = "";
	size_t size;

	if (!machine || gethostname(host, sizeof(host) - 1) < 0)
		return true; /* nobody knows better */
	size = strcspn(host, ".");
	return !strncmp(host, machine, size) &&
	       (!machine[size] || machine[size] == '.');
}

void sfair_explain_absent(const char *path, struct astra_error *err)
{
	const char *machine;
	int at;

	if (!sfair_slurm_known())
		return;
	at = answering();
	if (at < 0) {
		astra_error_set(
			err,
			"%s: no such socket, and slurmctld does not answer: start it, and see its log (scontrol ping)",
			path);
		return;
	}
	machine = slurm_conf.control_machine[at];
	if (is_here(machine))
		astra_error_set(
			err,
			"%s: no such socket: slurmctld runs without the astraea plugin: set BurstBufferType=burst_buffer/astraea in slurm.conf and restart it, or see its log; SFAIR_SOCKET or Socket= in astraea.conf names another socket",
			path);
	else
		astra_error_set(
			err,
			"%s: no such socket on this host: slurmctld runs on %s, log in there; or set Listen= in astraea.conf",
			path, machine);
}
