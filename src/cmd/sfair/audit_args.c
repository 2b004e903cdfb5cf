/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/audit.h"
#include "src/policies/options.h"

/* sfair audit --set: sets options of astraea.conf. */

/* Sets an option that defines the tenants. Returns 0, or 1 if key is another
 * option, or -1 with err set. */
static int set_tenants(struct sfair_audit *a, const char *key,
		       const char *value, struct astra_error *err)
{
	const char *allowed;
	int rc;

	if (!strcasecmp(key, "TenantLevel"))
		rc = astra_tenant_level_parse(value, &a->tenant_level,
					      &allowed);
	else if (!strcasecmp(key, "TenantShares"))
		rc = astra_tenant_shares_parse(value, &a->shares_tree,
					       &allowed);
	else
		return 1;
	if (rc)
		return astra_error_set(err, "--set=%s=%.64s: %s", key, value,
				       allowed);
	if (a->args->trace || a->args->weights)
		return astra_error_set(err,
				       "--set=%s: sacctmgr's accounts are not "
				       "asked for with --trace or --weights",
				       key);
	return 0;
}

static int audit_args_set(struct sfair_audit *a, const char *key,
			  const char *value, struct astra_error *err)
{
	int rc = set_tenants(a, key, value, err);

	return rc == 1 ? astra_options_set(&a->options, key, value, err) : rc;
}

int sfair_audit_set(struct sfair_audit *a, struct astra_error *err)
{
	int rc = 0;

	a->shares_tree = true;
	astra_options_init(&a->options);
	for (size_t i = 0; !rc && i < a->args->set_count; i++) {
		char *key = strdup(a->args->sets[i]);
		char *value = key ? strchr(key, '=') : NULL;

		if (!value) {
			free(key);
			return astra_error_nomem(err);
		}
		*value++ = '\0';
		rc = audit_args_set(a, key, value, err);
		free(key);
	}
	return rc ? rc : astra_options_check(&a->options, err);
}

#define SPAN_MAX_SEC 1e9

#define IN(member) ASTRA_CLI_IN(struct sfair_audit_args, member)
#define BY(setter, member) ASTRA_CLI_BY(setter, struct sfair_audit_args, member)
#define WORD .spelling = ASTRA_CLI_WORD
#define BOTH .spelling = ASTRA_CLI_BOTH

static int audit_args_add_set(const struct astra_cli_option *row, void *at,
			      const char *value, struct astra_error *err)
{
	struct sfair_audit_args *args = at;

	(void)row;
	if (!strchr(value, '='))
		return astra_error_set(err, "is not KEY=VALUE");
	if (args->set_count == SFAIR_SETS_MAX)
		return astra_error_set(err, "at most %d of them",
				       SFAIR_SETS_MAX);
	args->sets[args->set_count++] = value;
	return 0;
}

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("Which jobs"),
	{"start", 0, "TIME", "as sacct takes it [the last day]", IN(start),
	 WORD},
	{"end", 0, "TIME", "the same", IN(end), WORD},
	{"accounts", 'A', "NAME,...", "only these",
	 BY(sfair_set_names, show.query.accounts), BOTH},
	{"users", 'u', "NAME,...", "only these",
	 BY(sfair_set_names, show.query.users), BOTH},
	{"cluster", 'M', "NAME", "another cluster of slurmdbd", IN(cluster)},
	{"trace", 0, "FILE", "a trace with start times instead", IN(trace)},
	{"lenient", 0, NULL, "go on without its bad lines", IN(lenient)},
	ASTRA_CLI_HEADING("Measured how"),
	{"nodes", 0, "N", "the cluster's nodes [what slurmdbd knows]",
	 IN(nodes), .least = 1, .most = 1000000},
	{"gpus", 0, "G", "and the GPUs of each [8]", IN(gpus), .least = 1,
	 .most = 1000000},
	{"weights", 0, "FILE", "tenants' weights, CSV [sacctmgr's shares]",
	 IN(weights)},
	{"interval", 0, "SECONDS", "of the tenants' loss [3600]",
	 IN(interval_sec), .least = 1, .most = SPAN_MAX_SEC},
	{"policy", 0, "NAME,...|all", "what these would have given",
	 IN(policies)},
	{"set", 0, "KEY=VALUE", "an option of astraea.conf for them",
	 .set = audit_args_add_set},
	{"cold-start", 0, "SECONDS", "each of their starts costs [40]",
	 IN(cold_start_sec), .most = SPAN_MAX_SEC},
	{"checkpoint", 0, "SECONDS", "... and each of their stops [10]",
	 IN(checkpoint_sec), .most = SPAN_MAX_SEC},
	ASTRA_CLI_HEADING("How shown"),
	{"format", 'o', "FIELD[%[-]N],...", "columns of the TABLE",
	 IN(show.format), BOTH},
	{"topcount", 0, "N", "so many wronged jobs [10]", IN(top), .least = 1,
	 .most = 1000000, WORD},
	{.rows = sfair_style_options,
	 .offset = offsetof(struct sfair_audit_args, show)},
	{"quiet", 'Q', NULL, "no warnings", IN(quiet)},
	{"time", 't', "UNIT", "GPU time in Seconds, Minutes (default) or Hours",
	 BY(sfair_set_unit, show.unit)},
	{"tres", 'T', "gres/gpu", "what is counted; nothing else is",
	 .set = sfair_check_tres},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int set_table(void *at, const char *word, struct astra_error *err)
{
	struct sfair_audit_args *args = at;

	if (args->table != SFAIR_AUDIT_TABLES)
		return astra_error_set(err, "unexpected \"%.64s\": one table",
				       word);
	for (int i = 0; i < SFAIR_AUDIT_TABLES; i++) {
		if (strcasecmp(word, sfair_audit_table_name(i)) != 0)
			continue;
		args->table = i;
		return 0;
	}
	return astra_error_set(err,
			       "unknown word \"%.64s\": KEY=VALUE with start, "
			       "end, accounts, users, format or topcount, or a "
			       "table, one of Tenants, Sizes, Wronged, Jobs, "
			       "Policies, PolicyTenants, PolicySizes",
			       word);
}

/* Checks which options go together. */
static int audit_args_check(const struct sfair_audit_args *args,
			    struct astra_error *err)
{
	if (args->show.format && args->table == SFAIR_AUDIT_TABLES)
		return astra_error_set(err, "format= goes with one table: "
					    "sfair audit Tenants, for example");
	if (args->table >= SFAIR_AUDIT_POLICIES &&
	    args->table < SFAIR_AUDIT_TABLES && !args->policies)
		return astra_error_set(err, "%s goes with --policy=NAME,…",
				       sfair_audit_table_name(args->table));
	if (args->trace && args->cluster)
		return astra_error_set(err,
				       "either --trace or --cluster, which "
				       "asks slurmdbd");
	if (args->cluster && strchr(args->cluster, ','))
		return astra_error_set(err, "--cluster=%.64s: one cluster",
				       args->cluster);
	if (args->trace && (!args->nodes || !args->gpus))
		return astra_error_set(err, "how large was the cluster? "
					    "--nodes=N and --gpus=G of each");
	if (!args->nodes != !args->gpus)
		return astra_error_set(err, "--nodes=N and --gpus=G of each go "
					    "together");
	return 0;
}

int sfair_audit_parse(int argc, char **argv, struct sfair_audit_args *args,
		      struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair audit",
		.usage =
			"sfair audit [TABLE] [start=TIME] [end=TIME] [OPTION]...",
		.summary =
			"Measure how fairly GPUs were shared, from slurmdbd or a trace.\n"
			"\n"
			"Tables, all if none is named: Tenants, Sizes, Wronged, and with --policy\n"
			"Policies, PolicyTenants, PolicySizes; Jobs only if it is named.",
		.options = options,
		.word = set_table,
	};
	int rc;

	*args = (struct sfair_audit_args){
		.show = {.unit = SFAIR_MINUTES},
		.table = SFAIR_AUDIT_TABLES,
		.top = 10,
		.interval_sec = 3600,
		.cold_start_sec = 40,
		.checkpoint_sec = 10,
	};
	rc = astra_cli_parse(&cli, argc, argv, args, err);
	return rc || args->show.help_format ? rc : audit_args_check(args, err);
}
