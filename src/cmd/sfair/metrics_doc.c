/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/cmd/sfair/metrics.h"

static void put_labels(const struct metric *m)
{
	const struct metric_part *label = metric_labels(m->source);

	for (; label->key; label++)
		printf("\n.Ar %s", label->value);
	if (m->type == METRIC_INFO)
		for (label = m->parts; label->key; label++)
			printf("\n.Ar %s", label->value);
	if (!m->label)
		return;
	printf("\n.Ar %s :\n", m->label);
	for (label = m->parts; label->key; label++)
		printf("%s%s", label == m->parts ? "" : ", ", label->value);
}

void metrics_mdoc(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct metric *m = metric_table; m->name; m++) {
		printf(".It Li %s%s", m->name, metric_suffix(m->type));
		printf("\n.Pq %s", metric_type_name(m->type));
		put_labels(m);
		printf("\n.br\n%s.\n", m->help);
	}
	puts(".El");
}
