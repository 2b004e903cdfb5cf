/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair doctor: checks an installation from this host. */
#include "src/cmd/sfair/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/slurm.h"

struct doctor_args {
	const char *slurm_conf;
	bool host, quiet;
};

#define IN(member) ASTRA_CLI_IN(struct doctor_args, member)

static const struct astra_cli_option options[] = {
	{"host", 0, NULL,
	 "of this host only, as on compute nodes: slurmctld is not asked",
	 IN(host)},
	{"quiet", 'Q', NULL, "say only what is wrong", IN(quiet)},
	{"slurm-conf", 0, "FILE", "by this slurm.conf (default: this host's)",
	 IN(slurm_conf)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static const struct astra_cli cli = {
	.name = "sfair doctor",
	.usage = "sfair doctor [OPTION]...",
	.summary =
		"Check a whole installation: slurm.conf and astraea.conf, the files of the\n"
		"plugins, signing, sbatch's options, times that do not fit each other, what the\n"
		"plugin in slurmctld says of itself, and jobs that lose work at a lease's end.\n"
		"Says what to do. Nothing is changed. As root on slurmctld's host it sees most;\n"
		"with --host it is for the other ones.",
	.options = options,
	.end = "Exit status: 0, or 1 where something is an error.",
};

void doctor_say(struct doctor *d, enum doctor_level level, const char *format,
		...)
{
	static const char *const words[] = {"good", "warning", "error"};
	char text[2048];
	va_list list;

	d->warnings += level == DOCTOR_WARNING;
	d->errors += level == DOCTOR_ERROR;
	if (level == DOCTOR_GOOD && d->quiet)
		return;
	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (level != DOCTOR_GOOD)
		(void)astra_text_printf(&d->said, "%s\n", text);
	printf("%-8s ", words[level]);
	astra_cli_wrap(9, "         ", text);
}

static void doctor_sum(const struct doctor *d)
{
	const char *word = d->errors	 ? "not well"
			   : d->warnings ? "well, but for warnings"
					 : "well";

	if (!d->quiet)
		printf("\n%s: errors: %u, warnings: %u\n", word, d->errors,
		       d->warnings);
}

int sfair_doctor(int argc, char **argv, struct astra_error *err)
{
	struct doctor_args args = {0};
	struct doctor d = {0};
	int rc = astra_cli_parse(&cli, argc, argv, &args, err);

	if (rc)
		return rc;
	d.quiet = args.quiet;
	if (args.slurm_conf)
		setenv("SLURM_CONF", args.slurm_conf, 1);
	if (sfair_load_slurm_conf("name a slurm.conf with --slurm-conf", err) <
	    0)
		return -1;
	doctor_host(&d, sfair_on_controller());
	if (!args.host)
		doctor_live(&d);
	doctor_sum(&d);
	astra_text_clear(&d.said);
	return d.errors
		       ? astra_error_set(err, "%u of these %s to be mended",
					 d.errors, d.errors == 1 ? "is" : "are")
		       : 0;
}
