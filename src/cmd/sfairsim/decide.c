/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "astra_config.h"

#include "src/decide/decide.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/common/cli.h"
#include "src/record/round.h"

struct decide_args {
	const char *policy;
	bool recorded;
};

static const struct astra_cli_option options[] = {
	{"policy", 'p', "POLICY",
	 "who goes next; an instance that names another policy is refused",
	 ASTRA_CLI_IN(struct decide_args, policy)},
	{"recorded", 0, NULL, "print the plan that stands in the record",
	 ASTRA_CLI_IN(struct decide_args, recorded)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static void list_policies(const struct astra_cli *cli)
{
	(void)cli;
	printf("\nPolicies:\n");
	for (const struct astra_decider *d = astra_deciders; d->name; d++)
		printf("  %s\n", d->name);
}

/* Writes the whole result or nothing: the text is made before it is written. */
static int write_result(const json_t *result)
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

/* Decides a round of a live cluster again. */
static int run_record(const json_t *record, bool recorded)
{
	const json_t *before = json_object_get(record, "plan");
	struct astra_error err = {""};
	struct astra_round round;
	json_t *plan;
	int rc;

	if (recorded)
		return before ? write_result(before)
			      : sfairsim_error("the record has no plan");
	if (astra_round_read(record, &round, &err) < 0)
		return sfairsim_error("%s", err.text);
	plan = astra_round_repeat(&round, &err);
	rc = plan ? write_result(plan) : sfairsim_error("%s", err.text);
	if (!rc && before && !json_equal(plan, before))
		rc = sfairsim_error(
			"this plan is not the recorded one: release %s "
			"recorded it, this is " ASTRA_RELEASE
			"; sfairsim decide --recorded prints it",
			round.head.release ? round.head.release : "?");
	json_decref(plan);
	astra_round_clear(&round);
	return rc;
}

static int run_instance(const json_t *instance, const char *policy)
{
	struct astra_error err = {""};
	json_t *result;
	int rc;

	if (!policy)
		return sfairsim_error("decide: --policy is missing; see "
				      "sfairsim decide --help");
	if (!astra_decider_find(policy))
		return sfairsim_error("decide: there is no policy %s; see "
				      "sfairsim decide --help",
				      policy);
	result = astra_decide(policy, instance, &err);
	rc = result ? write_result(result) : sfairsim_error("%s", err.text);
	json_decref(result);
	return rc;
}

static int decide_run(const char *policy, bool recorded)
{
	json_error_t where;
	json_t *instance = json_loadf(stdin, JSON_REJECT_DUPLICATES, &where);
	int rc;

	if (!instance)
		return sfairsim_error("the instance is no JSON: line %d, "
				      "column %d: %s",
				      where.line, where.column, where.text);
	if (!astra_round_is(instance) && recorded)
		rc = sfairsim_error("decide --recorded: this is no record of a "
				    "round; sfair record makes one");
	else if (astra_round_is(instance) && policy)
		rc = sfairsim_error("decide: a record has its policy; leave "
				    "out --policy");
	else
		rc = astra_round_is(instance) ? run_record(instance, recorded)
					      : run_instance(instance, policy);
	json_decref(instance);
	return rc;
}

int sfairsim_decide(int argc, char **argv)
{
	static const struct astra_cli cli = {
		.name = "sfairsim decide",
		.usage = "sfairsim decide --policy POLICY < INSTANCE > RESULT\n"
			 "       sfairsim decide [--recorded] < RECORD > PLAN",
		.summary =
			"Decide one round of a policy by the very code that runs in slurmctld.\n"
			"INSTANCE and RESULT are JSON objects. RECORD is a round of production\n"
			"(sfair record), which is decided once more; where the PLAN is not the\n"
			"recorded one, the exit status is 1.",
		.lists = list_policies,
		.options = options,
	};
	struct decide_args args = {0};
	struct astra_error err = {""};
	int rc = astra_cli_parse(&cli, argc, argv, &args, &err);

	if (rc)
		return rc < 0 ? sfairsim_error("%s", err.text) : 0;
	return decide_run(args.policy, args.recorded);
}
