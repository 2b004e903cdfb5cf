/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide.h"

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/cmd/sfairsim/sfairsim.h"

static void help(void)
{
	puts("Usage: sfairsim decide --policy POLICY < INSTANCE > RESULT\n"
	     "\n"
	     "Decide one round of a policy by the very code that runs in\n"
	     "slurmctld. INSTANCE and RESULT are JSON objects.\n"
	     "\n"
	     "  -p, --policy=POLICY  who goes next; an instance that names\n"
	     "                       another policy is refused\n"
	     "  -h, --help           print this help\n"
	     "\n"
	     "Policies:");
	for (const struct astra_decider *d = astra_deciders; d->name; d++)
		printf("  %s\n", d->name);
}

/* All of the result or nothing: it is text before it is written. */
static int write_result(json_t *result)
{
	char *text =
		json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	int rc = 0;

	if (!text)
		return sfairsim_error("out of memory");
	if (puts(text) < 0 || fflush(stdout) != 0)
		rc = sfairsim_error("cannot write the result: %m");
	free(text);
	return rc;
}

static int run(const char *policy)
{
	struct astra_error err = {""};
	json_error_t where;
	json_t *instance = json_loadf(stdin, JSON_REJECT_DUPLICATES, &where);
	json_t *result;
	int rc;

	if (!instance)
		return sfairsim_error("the instance is no JSON: line %d, "
				      "column %d: %s",
				      where.line, where.column, where.text);
	result = astra_decide(policy, instance, &err);
	rc = result ? write_result(result) : sfairsim_error("%s", err.text);
	json_decref(result);
	json_decref(instance);
	return rc;
}

int sfairsim_decide(int argc, char **argv)
{
	static const struct option options[] = {
		{"policy", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *policy = NULL;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+p:h", options, NULL)) != -1) {
		switch (c) {
		case 'p':
			policy = optarg;
			break;
		case 'h':
			help();
			return 0;
		default:
			return sfairsim_error("decide: %s is not an option or "
					      "lacks its value; see sfairsim "
					      "decide --help",
					      argv[optind - 1]);
		}
	}
	if (optind < argc)
		return sfairsim_error("decide: unexpected argument %s; the "
				      "instance is read from stdin",
				      argv[optind]);
	if (!policy)
		return sfairsim_error("decide: --policy is missing; see "
				      "sfairsim decide --help");
	if (!astra_decider_find(policy))
		return sfairsim_error("decide: there is no policy %s; see "
				      "sfairsim decide --help",
				      policy);
	return run(policy);
}
