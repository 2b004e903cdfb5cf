/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/cmd/sfair/metrics.h"

static void metrics_doc_put_labels(const struct metric_part *label)
{
	for (; label->key; label++)
		printf(" Ar %s", label->value);
}

static void put_values(const struct metric *m)
{
	printf(".Ar %s :\n", m->label);
	for (const struct metric_part *p = m->parts; p->key; p++)
		printf("%s%s", p->value, p[1].key ? ", " : ".\n");
}

void metrics_mdoc(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct metric *m = metric_table; m->name; m++) {
		printf(".It Li %s%s No %s", m->name, metric_suffix(m->type),
		       metric_type_name(m->type));
		metrics_doc_put_labels(metric_labels(m->source));
		if (m->type == METRIC_INFO)
			metrics_doc_put_labels(m->parts);
		if (m->label)
			printf(" Ar %s", m->label);
		printf("\n%s.\n", m->help);
		if (m->label)
			put_values(m);
	}
	puts(".El");
}
