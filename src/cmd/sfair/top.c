/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair top: nodes, GPUs by tenant, leases and the queue, live. */
#include "src/cmd/sfair/top.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"

bool top_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static int copy_names(const struct astra_names *from, struct astra_names *to)
{
	for (size_t i = 0; i < from->count; i++)
		if (astra_names_add(to, from->names[i],
				    strlen(from->names[i])) < 0)
			return -1;
	return 0;
}

int top_copy_query(const struct astra_query *from, struct astra_query *to)
{
	*to = (struct astra_query){.kind = from->kind};
	if (!copy_names(&from->users, &to->users) &&
	    !copy_names(&from->accounts, &to->accounts) &&
	    !copy_names(&from->pools, &to->pools))
		return 0;
	astra_query_destroy(to);
	return -1;
}

int sfair_top(int argc, char **argv, struct astra_error *err)
{
	struct top_args args = {0};
	int rc;

	setlocale(LC_CTYPE, "");
	top_state_init(&args.state);
	rc = top_args_parse(argc, argv, &args, err);
	if (!rc)
		rc = args.batch ? top_batch(&args, err)
				: top_live(&args.state, err);
	top_state_destroy(&args.state);
	return rc;
}
