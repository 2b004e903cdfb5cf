/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes of jobs in a reply: chosen and written. */
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/select.h"

/* Whether its tenant is one of those marked; operators see what is shared by
 * several, or of a tenant that is forgotten. */
static bool is_selected(const struct astra_report *report, const bool *tenants,
			const struct astra_query *query,
			const struct astra_viewer *viewer,
			const struct astra_report_class *class)
{
	for (size_t i = 0; i < report->tenant_count; i++)
		if (!strcmp(report->tenants[i].of.name, class->of.tenant) &&
		    !strcmp(report->tenants[i].pool, class->pool))
			return tenants[i];
	return viewer->all && !query->users.count && !query->accounts.count &&
	       (!query->pools.count ||
		astra_filter_has(&query->pools, class->pool));
}

int astra_answer_classes(const struct astra_report *report,
			 const struct astra_query *query,
			 const struct astra_viewer *viewer, uint64_t picked,
			 struct astra_text *out)
{
	bool *tenants = astra_tenants_selected(report, query, viewer);
	bool nodes = astra_nodes_visible(report, viewer);
	const char *separator = "";

	if (!tenants)
		return -1;
	astra_text_printf(out, ",\"classes\":[");
	for (size_t i = 0; i < report->class_count && !out->failed; i++) {
		struct astra_report_class class = report->classes[i];

		if (!is_selected(report, tenants, query, viewer, &class))
			continue;
		if (!nodes)
			class.of.nodes = "";
		astra_text_printf(out, "%s", separator);
		astra_encode_picked(out, &class, astra_class_members, picked,
				    0);
		separator = ",";
	}
	astra_text_printf(out, "]");
	free(tenants);
	return 0;
}
