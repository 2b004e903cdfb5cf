/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/report_kind.h"

#include <stdio.h>
#include <string.h>

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
