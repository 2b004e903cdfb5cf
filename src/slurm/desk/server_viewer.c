/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/slurm/desk/server_private.h"

static bool sees_all(const struct server *s, uint32_t uid)
{
	return uid == 0 || uid == s->options.slurm_uid ||
	       (s->options.is_operator && s->options.is_operator(uid));
}

static double wall_sec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What else a user sees where PrivateData hides something. */
static void add_accounts(const struct server *s,
			 const struct astra_report *report,
			 struct astra_viewer *viewer,
			 struct astra_names *accounts)
{
	if (viewer->all || !report || !s->options.accounts_of ||
	    (!report->privacy.jobs && !report->privacy.usage))
		return;
	(void)s->options.accounts_of(viewer->uid, accounts);
	if (accounts->count)
		qsort(accounts->names, accounts->count,
		      sizeof(*accounts->names), compare_names);
	viewer->accounts = accounts;
}

struct astra_viewer server_viewer(const struct server *s,
				  const struct astra_report *report,
				  uint32_t uid, struct astra_names *accounts)
{
	struct astra_viewer viewer = {
		.uid = uid,
		.all = sees_all(s, uid),
		.now_sec = wall_sec(),
	};

	add_accounts(s, report, &viewer, accounts);
	return viewer;
}
