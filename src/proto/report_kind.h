/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports over past time, by name. Pure. */
#ifndef ASTRA_REPORT_KIND_H
#define ASTRA_REPORT_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum astra_report_kind {
	ASTRA_CLUSTER_UTILIZATION,
	ASTRA_CLUSTER_FAIRNESS,
	ASTRA_CLUSTER_ROUNDS,
	ASTRA_TENANT_FAIRNESS,
	ASTRA_TENANT_USAGE,
	ASTRA_TENANT_TIMELINE,
	ASTRA_TENANT_LEDGER,
	ASTRA_USER_TOP,
	ASTRA_USER_FAIRNESS,
	ASTRA_JOB_FAIRNESS,
	ASTRA_JOB_LEASES,
	ASTRA_JOB_SLOWDOWN,
	ASTRA_REPORT_KINDS, /* how many */
};

struct astra_report_row {
	const char *type;   /* "tenant" */
	const char *report; /* "usage" */
	const char *name;   /* "tenant usage", as in a request */
	bool accounts;	    /* whether "accounts" and "users" are its keys */
	bool jobs;	    /* ... "jobs" */
	bool top;	    /* ... "top" */
	const char *help;   /* what it shows, for users */
};

/* All that is known of a report; never NULL. */
const struct astra_report_row *astra_report_row(enum astra_report_kind kind);

/* The report of that name in a request. Returns 0, or -1. */
int astra_report_kind_find(const char *name, enum astra_report_kind *out);

/* The names of the reports of a type, or, NULL, of all, with commas. */
void astra_report_kind_names(const char *type, char *text, size_t size);

#endif
