/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin does not answer where it was asked: slurmctld is down, runs on
 * another host, or has not loaded the plugin. */
#include <string.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/slurm.h"

#define HOST_BYTES 256

bool sfair_is_here(const char *machine)
{
	char host[HOST_BYTES] = "";
	size_t size;

	if (!machine || gethostname(host, sizeof(host) - 1) < 0)
		return true; /* there is no better answer */
	size = strcspn(host, ".");
	return !strncmp(host, machine, size) &&
	       (!machine[size] || machine[size] == '.');
}

/* The plugin is there, but not where it was asked. */
static void absent_plugin(const struct sfair_where *where,
			  const struct astra_status *status,
			  struct astra_text *out)
{
	if (!status->answers)
		astra_text_printf(
			out,
			"its astraea plugin answers nobody: see slurmctld's log");
	else if (where->given)
		astra_text_printf(
			out,
			"its astraea plugin answers elsewhere: unset SFAIR_SOCKET");
	else if (status->port)
		astra_text_printf(
			out,
			"its astraea plugin listens at port %u: see Listen= in astraea.conf",
			status->port);
	else
		astra_text_printf(
			out,
			"its astraea plugin is not on the network: log in there, or set Listen= in astraea.conf (where it is set, slurmctld's log says what is wrong)");
}

/* What was tried, in short. */
static void absent_what(const char *path, const struct astra_error *err,
			struct astra_text *out)
{
	if (*path != '/')
		astra_text_printf(out, "%.200s", err->text);
	else if (access(path, F_OK) < 0)
		astra_text_printf(out, "%s: no such socket", path);
	else
		astra_text_printf(out, "%s: nobody answers", path);
}

void sfair_explain_absent(const struct sfair_where *where,
			  const struct sfair_slurm *slurm,
			  struct astra_error *err)
{
	struct astra_text what = {0}, plugin = {0};
	const char *host = sfair_slurm_host(slurm->index);

	absent_what(where->path, err, &what);
	absent_plugin(where, &slurm->status, &plugin);
	if (what.failed || plugin.failed)
		astra_error_nomem(err);
	else if (slurm->state == SFAIR_SLURM_SILENT && *where->path == '/' &&
		 !access(where->path, F_OK))
		(void)err; /* a socket was left behind, and err says so */
	else if (slurm->state == SFAIR_SLURM_SILENT)
		astra_error_set(
			err,
			"%s, and slurmctld does not answer: start it, and see its log (scontrol ping)",
			what.bytes);
	else if (slurm->state == SFAIR_SLURM_REFUSES)
		astra_error_set(
			err,
			"%s, and slurmctld on %s does not say where the plugin is: %s",
			what.bytes, host, slurm->why);
	else if (slurm->state == SFAIR_SLURM_WITHOUT)
		astra_error_set(
			err,
			"%s: slurmctld runs without the astraea plugin: set BurstBufferType=burst_buffer/astraea in slurm.conf and restart it, or see its log; SFAIR_SOCKET or Socket= in astraea.conf names another socket",
			what.bytes);
	else if (slurm->state == SFAIR_SLURM_PLUGIN)
		astra_error_set(err, "%s: slurmctld runs on %s, and %s",
				what.bytes, host, plugin.bytes);
	astra_text_clear(&what);
	astra_text_clear(&plugin);
}
