/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/query.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

#define NAMES(type, report) type, report, type " " report

static const struct astra_report_row rows[ASTRA_REPORT_KINDS] = {
	[ASTRA_CLUSTER_UTILIZATION] = {NAMES("cluster", "utilization"), false,
				       false, false,
				       "what the GPUs of each pool did"},
	[ASTRA_CLUSTER_FAIRNESS] =
		{NAMES("cluster", "fairness"), false, false, false,
		 "over time, what all tenants had and lacked"},
	[ASTRA_CLUSTER_ROUNDS] = {NAMES("cluster", "rounds"), false, false,
				  false,
				  "over time, rounds and what they granted"},
	[ASTRA_TENANT_FAIRNESS] = {NAMES("tenant", "fairness"), true, false,
				   false,
				   "what each tenant had and was entitled to"},
	[ASTRA_TENANT_USAGE] = {NAMES("tenant", "usage"), true, false, false,
				"GPU time by tenant, account and user"},
	[ASTRA_TENANT_TIMELINE] = {NAMES("tenant", "timeline"), true, false,
				   false, "the same of tenants, over time"},
	[ASTRA_TENANT_LEDGER] = {NAMES("tenant", "ledger"), true, false, false,
				 "over time, what tenants paid and earned"},
	[ASTRA_USER_TOP] = {NAMES("user", "top"), true, false, true,
			    "who used most GPU time"},
	[ASTRA_USER_FAIRNESS] = {NAMES("user", "fairness"), true, false, true,
				 "what each user had and was entitled to"},
	[ASTRA_JOB_FAIRNESS] = {NAMES("job", "fairness"), true, true, true,
				"the same of jobs"},
	[ASTRA_JOB_LEASES] = {NAMES("job", "leases"), true, true, false,
			      "who held which GPUs, from when to when"},
	[ASTRA_JOB_SLOWDOWN] = {NAMES("job", "slowdown"), true, true, true,
				"how long jobs waited and ran"},
	[ASTRA_JOB_REQUESTS] = {NAMES("job", "requests"), true, true, false,
				"what jobs asked for, and when they could run"},
};

const struct astra_report_row *astra_report_row(enum astra_report_kind kind)
{
	return &rows[kind < ASTRA_REPORT_KINDS ? kind : 0];
}

int astra_report_kind_find(const char *name, enum astra_report_kind *out)
{
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		*out = (enum astra_report_kind)i;
		return 0;
	}
	return -1;
}

void astra_report_kind_names(const char *type, char *text, size_t size)
{
	*text = '\0';
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		size_t used = strlen(text);

		if (type && strcmp(rows[i].type, type) != 0)
			continue;
		snprintf(text + used, size - used, "%s%s", used ? ", " : "",
			 type ? rows[i].report : rows[i].name);
	}
}

static const char *const kind_names[] = {
	[ASTRA_QUERY_TENANT] = "tenant",
	[ASTRA_QUERY_JOB] = "job",
	[ASTRA_QUERY_LEASE] = "lease",
	[ASTRA_QUERY_WHY] = "why",
	[ASTRA_QUERY_DIAG] = "diag",
	[ASTRA_QUERY_REMAINING] = "remaining",
	[ASTRA_QUERY_PROGRESS] = "progress",
	[ASTRA_QUERY_CHECKPOINTED] = "checkpointed",
	[ASTRA_QUERY_OFFER] = "offer",
	[ASTRA_QUERY_BID] = "bid",
	[ASTRA_QUERY_AUCTION] = "auction",
	[ASTRA_QUERY_METRICS] = "metrics",
	[ASTRA_QUERY_RECORD] = "record",
	[ASTRA_QUERY_REPORT] = "report",
	[ASTRA_QUERY_TOP] = "top",
	[ASTRA_QUERY_ADOPT] = "adopt",
	[ASTRA_QUERY_PRICE] = "price",
	[ASTRA_QUERY_CLASS] = "class",
};

const char *astra_query_kind_name(enum astra_query_kind kind)
{
	return kind_names[kind];
}

int astra_query_kind_find(const char *name, enum astra_query_kind *out)
{
	for (size_t i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++) {
		if (strcmp(name, kind_names[i]) != 0)
			continue;
		*out = (enum astra_query_kind)i;
		return 0;
	}
	return -1;
}

/* Reads a decimal number below UINT32_MAX, without sign or blanks, and advances
 * *text. Returns 0 or -1. */
static int query_parse_u32(const char **text, uint32_t *out)
{
	uint64_t value = 0;
	const char *at = *text;

	if (!isdigit((unsigned char)*at))
		return -1;
	for (; isdigit((unsigned char)*at); at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value >= UINT32_MAX)
			return -1;
	}
	*text = at;
	*out = (uint32_t)value;
	return 0;
}

/* Reads past "3", "3-9" or "3-9:2". Returns 0 or -1. */
static int query_parse_range(const char **text)
{
	uint32_t first, last, step;

	if (query_parse_u32(text, &first) < 0)
		return -1;
	if (**text != '-')
		return 0;
	++*text;
	if (query_parse_u32(text, &last) < 0 || last < first)
		return -1;
	if (**text != ':')
		return 0;
	++*text;
	return query_parse_u32(text, &step) < 0 || !step ? -1 : 0;
}

/* Whether the text is "_[3-9,12%2]", as squeue shows an array's waiting tasks,
 * or "_[3-9,...]" if there are many. */
static bool is_rest_of_array(const char *text)
{
	uint32_t most;

	if (strncmp(text, "_[", 2) != 0)
		return false;
	for (text += 2; strncmp(text, "...", 3) != 0; text++) {
		if (query_parse_range(&text) < 0)
			return false;
		if (*text != ',')
			break;
	}
	if (!strncmp(text, "...", 3))
		text += 3;
	if (*text == '%' && (text++, query_parse_u32(&text, &most) < 0))
		return false;
	return !strcmp(text, "]");
}

int astra_job_ref_parse(const char *text, struct astra_job_ref *out)
{
	struct astra_job_ref ref = {.task = UINT32_MAX};

	if (query_parse_u32(&text, &ref.id) < 0 || !ref.id)
		return -1;
	if (is_rest_of_array(text))
		text = "";
	else if (*text == '_' &&
		 (text++, query_parse_u32(&text, &ref.task) < 0))
		return -1;
	if (*text)
		return -1;
	*out = ref;
	return 0;
}

int astra_names_add(struct astra_names *names, const char *name, size_t size)
{
	char *copy;

	if (astra_grow(&names->names, &names->room, names->count + 1,
		       sizeof(*names->names)) < 0)
		return -1;
	copy = strndup(name, size);
	if (!copy)
		return -1;
	names->names[names->count++] = copy;
	return 0;
}

int astra_job_refs_add(struct astra_job_refs *refs, struct astra_job_ref ref)
{
	if (astra_grow(&refs->refs, &refs->room, refs->count + 1,
		       sizeof(*refs->refs)) < 0)
		return -1;
	refs->refs[refs->count++] = ref;
	return 0;
}

void astra_names_clear(struct astra_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
}

int astra_adopt_add(struct astra_query_adopt *adopt, const char *tenant,
		    const char *user, struct astra_usage usage)
{
	struct astra_adopted *a;

	if (astra_grow(&adopt->list, &adopt->room, adopt->count + 1,
		       sizeof(*adopt->list)) < 0)
		return -1;
	a = &adopt->list[adopt->count];
	*a = (struct astra_adopted){strdup(tenant), strdup(user), usage};
	if (a->tenant && a->user) {
		adopt->count++;
		return 0;
	}
	free(a->tenant);
	free(a->user);
	return -1;
}

void astra_adopt_clear(struct astra_query_adopt *adopt)
{
	for (size_t i = 0; i < adopt->count; i++) {
		free(adopt->list[i].tenant);
		free(adopt->list[i].user);
	}
	free(adopt->list);
	*adopt = (struct astra_query_adopt){0};
}

void astra_query_destroy(struct astra_query *query)
{
	astra_names_clear(&query->users);
	astra_names_clear(&query->accounts);
	astra_names_clear(&query->pools);
	astra_names_clear(&query->fields);
	free(query->jobs.refs);
	free(query->app);
	free(query->user);
	free(query->bid.order.refs);
	astra_curves_clear(&query->bid.rho);
	astra_adopt_clear(&query->adopt);
	*query = (struct astra_query){0};
}
