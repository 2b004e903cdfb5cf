/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/conf/config_diff.h"

#include <string.h>
#include <strings.h>

#include "src/slurm/conf/config_priv.h"

static const char *diff_word(const char *text)
{
	return text && *text ? text : "(none)";
}

/* Return the value of an option as written in the file, or its default. */
static const char *diff_said(const struct astra_pool_config *pool, size_t row)
{
	return pool->said[row] ? pool->said[row]
			       : astra_option_table[row].initial;
}

/* Whether two texts of an option have the same meaning. */
static bool diff_same_value(const struct astra_option *o, const char *a,
			    const char *b)
{
	struct astra_options of_a, of_b;

	if (!strcmp(a, b))
		return true;
	memset(&of_a, 0, sizeof(of_a));
	memset(&of_b, 0, sizeof(of_b));
	return !o->parse(o, &of_a, a, NULL) && !o->parse(o, &of_b, b, NULL) &&
	       !memcmp(&of_a, &of_b, sizeof(of_a));
}

/* Whether two lists have the same names, in any order. */
static bool diff_same_names(const struct astra_config_names *a,
			    const struct astra_config_names *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!astra_names_have(b, a->name[i]))
			return false;
	for (size_t i = 0; i < b->count; i++)
		if (!astra_names_have(a, b->name[i]))
			return false;
	return true;
}

static void diff_names(const char *of, const char *what,
		       const struct astra_config_names *before,
		       const struct astra_config_names *after,
		       struct astra_text *out)
{
	for (size_t i = 0; i < before->count; i++)
		if (!astra_names_have(after, before->name[i]))
			astra_text_printf(out, "%s: %s %s goes\n", of, what,
					  before->name[i]);
	for (size_t i = 0; i < after->count; i++)
		if (!astra_names_have(before, after->name[i]))
			astra_text_printf(out, "%s: %s %s comes\n", of, what,
					  after->name[i]);
}

static void diff_pool(const struct astra_pool_config *before,
		      const struct astra_pool_config *after,
		      struct astra_text *out)
{
	char of[ASTRA_POOL_NAME_MAX + 8];

	snprintf(of, sizeof(of), "pool %s", after->name);
	diff_names(of, "partition", &before->partitions, &after->partitions,
		   out);
	for (size_t i = 0; astra_option_table[i].key; i++) {
		const struct astra_option *o = &astra_option_table[i];
		const char *a = diff_said(before, i), *b = diff_said(after, i);

		if (!diff_same_value(o, a, b))
			astra_text_printf(out, "%s: %s=%s becomes %s\n", of,
					  o->key, a, b);
	}
}

static const struct astra_pool_config *
diff_find_pool(const struct astra_config *config, const char *name)
{
	for (size_t i = 0; i < config->pool_count; i++)
		if (!strcmp(config->pools[i].name, name))
			return &config->pools[i];
	return NULL;
}

static void diff_pools(const struct astra_config *before,
		       const struct astra_config *after, struct astra_text *out)
{
	for (size_t i = 0; i < before->pool_count; i++)
		if (!diff_find_pool(after, before->pools[i].name))
			astra_text_printf(out,
					  "pool %s goes: Slurm alone schedules "
					  "its jobs, without leases\n",
					  before->pools[i].name);
	for (size_t i = 0; i < after->pool_count; i++) {
		const struct astra_pool_config *p = &after->pools[i];
		const struct astra_pool_config *was =
			diff_find_pool(before, p->name);

		if (was)
			diff_pool(was, p, out);
		else
			astra_text_printf(out, "pool %s comes: partitions %s\n",
					  p->name, p->partition_text);
	}
}

static const struct astra_tenant_config *
diff_find_tenant(const struct astra_config *config, const char *name)
{
	for (size_t i = 0; i < config->tenant_count; i++)
		if (!strcmp(config->tenants[i].name, name))
			return &config->tenants[i];
	return NULL;
}

static void diff_tenants(const struct astra_config *before,
			 const struct astra_config *after,
			 struct astra_text *out)
{
	for (size_t i = 0; i < before->tenant_count; i++)
		if (!diff_find_tenant(after, before->tenants[i].name))
			astra_text_printf(out, "tenant %s goes\n",
					  before->tenants[i].name);
	for (size_t i = 0; i < after->tenant_count; i++) {
		const struct astra_tenant_config *t = &after->tenants[i];
		const struct astra_tenant_config *was =
			diff_find_tenant(before, t->name);

		if (!was)
			astra_text_printf(out, "tenant %s comes: weight %g\n",
					  t->name, t->weight);
		else if (was->weight < t->weight || was->weight > t->weight)
			astra_text_printf(out,
					  "tenant %s: Weight=%g becomes "
					  "%g\n",
					  t->name, was->weight, t->weight);
		if (was && (!diff_same_names(&was->accounts, &t->accounts) ||
			    !diff_same_names(&was->users, &t->users)))
			astra_text_printf(out,
					  "tenant %s has other accounts "
					  "or users\n",
					  t->name);
	}
}

/* For settings that slurmctld reads only when it starts. */
#define DIFF_START " at slurmctld's next start"

/* Report a text that has changed. when: DIFF_START or "". */
static void diff_text(const char *key, const char *before, const char *after,
		      const char *when, struct astra_text *out)
{
	if (strcmp(diff_word(before), diff_word(after)) != 0)
		astra_text_printf(out, "%s=%s becomes %s%s\n", key,
				  diff_word(before), diff_word(after), when);
}

static void diff_days(const char *key, double before_sec, double after_sec,
		      struct astra_text *out)
{
	const double day = 86400;

	if (before_sec < after_sec || before_sec > after_sec)
		astra_text_printf(out, "%s=%g becomes %g" DIFF_START "\n", key,
				  before_sec / day, after_sec / day);
}

static void diff_number(const char *key, double before, double after,
			struct astra_text *out)
{
	if (before < after || before > after)
		astra_text_printf(out, "%s=%g becomes %g\n", key, before,
				  after);
}

void astra_config_compare(const struct astra_config *before,
			  const struct astra_config *after,
			  struct astra_text *out)
{
	diff_pools(before, after, out);
	diff_tenants(before, after, out);
	diff_number("TenantLevel", before->tenant_level, after->tenant_level,
		    out);
	diff_text("TenantShares", before->shares_tree ? "tree" : "account",
		  after->shares_tree ? "tree" : "account", "", out);
	diff_text("Socket", before->socket, after->socket, DIFF_START, out);
	diff_text("Listen", before->listen, after->listen, DIFF_START, out);
	diff_text("LeaseProgram", before->lease_program, after->lease_program,
		  "", out);
	diff_text("History", before->history ? "yes" : "no",
		  after->history ? "yes" : "no", DIFF_START, out);
	diff_text("HistoryFile", before->history_file, after->history_file,
		  DIFF_START, out);
	diff_days("HistoryRounds", before->history_rounds_sec,
		  after->history_rounds_sec, out);
	diff_days("HistoryHours", before->history_hours_sec,
		  after->history_hours_sec, out);
	diff_days("HistoryDays", before->history_days_sec,
		  after->history_days_sec, out);
	diff_days("HistoryLeases", before->history_leases_sec,
		  after->history_leases_sec, out);
}
