/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/common/grow.h"
#include "src/proto/report_priv.h"

static const size_t node_strings[] = {
	offsetof(struct astra_report_node, pool),
	offsetof(struct astra_report_node, name),
	offsetof(struct astra_report_node, state),
};

int astra_report_add_node(struct astra_report *report,
			  const struct astra_report_node *node)
{
	size_t n = report->node_count;
	size_t size = node->holder_count * sizeof(*node->holders);
	struct astra_report_node copy = *node;
	struct astra_report_holder *holders;

	if (astra_grow(&report->nodes, &report->node_room, n + 1,
		       sizeof(copy)) < 0 ||
	    astra_report_keep_all(
		    report, &copy, n ? &report->nodes[n - 1] : NULL,
		    node_strings,
		    sizeof(node_strings) / sizeof(*node_strings)) < 0)
		return -1;
	copy.holders = NULL;
	if (size) {
		holders = astra_report_take(report, size);
		if (!holders)
			return -1;
		memcpy(holders, node->holders, size);
		copy.holders = holders;
	}
	report->nodes[n] = copy;
	report->node_count++;
	return 0;
}
