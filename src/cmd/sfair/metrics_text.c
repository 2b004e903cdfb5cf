/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics as text. OpenMetrics names a family without the suffix for its type,
 * and supports units and infos. The older format does neither. */
#include <math.h>
#include <string.h>

#include "src/cmd/sfair/metrics.h"
#include "src/common/encode.h"

/* The state of writing: the present family, and the object of the present
 * series. */
struct writer {
	struct astra_text *out;
	const struct metric *metric;
	const json_t *object;
	bool plain;
	bool begun; /* the family's head is written */
};

static void metrics_text_put_head(struct writer *w)
{
	const struct metric *m = w->metric;
	const char *unit = metric_unit(m);
	const char *suffix = w->plain ? metric_suffix(m->type) : "";
	const char *type = w->plain && m->type == METRIC_INFO
				   ? "gauge"
				   : metric_type_name(m->type);

	if (w->begun)
		return;
	w->begun = true;
	astra_text_printf(w->out, "# HELP %s%s %s.\n", m->name, suffix,
			  m->help);
	astra_text_printf(w->out, "# TYPE %s%s %s\n", m->name, suffix, type);
	if (unit && !w->plain)
		astra_text_printf(w->out, "# UNIT %s %s\n", m->name, unit);
}

/* Writes a label. Both the reply and the output are UTF-8. */
static void metrics_text_put_label(struct writer *w, const char *name,
				   const char *value, bool *first)
{
	astra_text_printf(w->out, "%s%s=\"", *first ? "{" : ",", name);
	*first = false;
	while (value && *value) {
		size_t size = strcspn(value, "\\\"\n");

		astra_text_add(w->out, value, size);
		value += size;
		if (*value == '\n')
			astra_text_add(w->out, "\\n", 2);
		else if (*value)
			astra_text_printf(w->out, "\\%c", *value);
		value += *value ? 1 : 0;
	}
	astra_text_add(w->out, "\"", 1);
}

static void metrics_text_put_labels(struct writer *w,
				    const struct metric_part *labels,
				    bool *first)
{
	for (; labels->key; labels++)
		metrics_text_put_label(w, labels->value,
				       json_string_value(json_object_get(
					       w->object, labels->key)),
				       first);
}

/* Writes the name and all labels of a sample. part: the value of the metric's
 * own label. */
static void metrics_text_put_name(struct writer *w, const char *suffix,
				  const char *part)
{
	const struct metric *m = w->metric;
	bool first = true;

	metrics_text_put_head(w);
	astra_text_printf(w->out, "%s%s", m->name, suffix);
	metrics_text_put_labels(w, metric_labels(m->source), &first);
	if (m->type == METRIC_INFO)
		metrics_text_put_labels(w, m->parts, &first);
	if (part)
		metrics_text_put_label(w, m->label, part, &first);
	astra_text_printf(w->out, first ? " " : "} ");
}

static void metrics_text_put_value(struct writer *w, double value)
{
	if (isinf(value))
		astra_text_printf(w->out, value > 0 ? "+Inf" : "-Inf");
	else
		astra_encode_real(w->out, value);
	astra_text_add(w->out, "\n", 1);
}

/* Whether the value gives a number. A text counts as 1 if it is not empty;
 * "inf" is infinity. */
static bool metrics_text_number_of(const json_t *value, double *out)
{
	const char *text = json_string_value(value);

	if (json_is_number(value))
		*out = json_number_value(value);
	else if (text && !strcmp(text, "inf"))
		*out = INFINITY;
	else if (text)
		*out = *text ? 1 : 0;
	else
		return false;
	return true;
}

static void put_sample(struct writer *w, const char *suffix, const char *part,
		       const json_t *value, double scale)
{
	double number;

	if (!metrics_text_number_of(value, &number))
		return;
	metrics_text_put_name(w, suffix, part);
	metrics_text_put_value(w, scale > 0 ? number * scale : number);
}

static void metrics_text_put_member(struct writer *w, const char *part,
				    const char *key)
{
	const struct metric *m = w->metric;
	const json_t *value = json_object_get(w->object, key);

	if (m->type == METRIC_SUMMARY) {
		put_sample(w, "_count", part, json_object_get(value, "count"),
			   1);
		put_sample(w, "_sum", part, json_object_get(value, "sum_usec"),
			   m->scale);
		return;
	}
	if (m->member)
		value = json_object_get(value, m->member);
	put_sample(w, metric_suffix(m->type), part, value, m->scale);
}

static void put_object(struct writer *w, const json_t *object)
{
	const struct metric *m = w->metric;

	w->object = object;
	if (m->type == METRIC_INFO) {
		metrics_text_put_name(w, metric_suffix(m->type), NULL);
		metrics_text_put_value(w, 1);
	} else if (m->parts) {
		for (const struct metric_part *p = m->parts; p->key; p++)
			metrics_text_put_member(w, p->value, p->key);
	} else {
		metrics_text_put_member(w, NULL, m->key);
	}
}

static void metrics_text_put_array(struct writer *w, const json_t *array)
{
	json_t *object;
	size_t i;

	json_array_foreach(array, i, object)
	{
		put_object(w, object);
	}
}

/* Returns the objects that a metric describes, or NULL if there are none. */
static const json_t *objects(const struct metric *m, const json_t *scrape,
			     const json_t *reply)
{
	static const char *const keys[] = {
		[METRIC_DIAG] = "diag",	      [METRIC_SOCKET] = "socket",
		[METRIC_HISTORY] = "history", [METRIC_POOL] = "pools",
		[METRIC_JOBS] = "jobs",	      [METRIC_AUCTION] = "auctions",
	};

	if (m->source == METRIC_EXPORTER)
		return scrape;
	if (m->source == METRIC_REPLY)
		return reply;
	if (m->source == METRIC_TENANT)
		return json_object_get(scrape, "tenants");
	return json_object_get(reply, keys[m->source]);
}

void metrics_text(struct astra_text *out, const json_t *scrape,
		  const json_t *reply, bool plain)
{
	for (const struct metric *m = metric_table; m->name; m++) {
		struct writer w = {.out = out, .metric = m, .plain = plain};
		const json_t *found = objects(m, scrape, reply);

		if (json_is_array(found))
			metrics_text_put_array(&w, found);
		else if (found)
			put_object(&w, found);
	}
	if (!plain)
		astra_text_printf(out, "# EOF\n");
}
