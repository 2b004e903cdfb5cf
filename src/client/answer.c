/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/answer.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define REPORT_SEC 10
#define REPORT_SEC_MAX 3600

static enum astra_fault read_fault(const json_t *error, struct astra_error *err)
{
	const char *code = json_string_value(json_object_get(error, "code"));
	const char *text = json_string_value(json_object_get(error, "text"));

	astra_error_set(err, "%s", text ? text : "refused without a reason");
	return code ? astra_fault_find(code) : ASTRA_FAULT_INTERNAL;
}

/* Read the time that is left of the lease. A report from before the job's start
 * does not have it. */
static double read_remaining(const json_t *lease)
{
	const char *phase = json_string_value(json_object_get(lease, "phase"));
	const json_t *value = json_object_get(lease, "remaining_sec");

	if (!phase || !strcmp(phase, "waiting"))
		return (double)NAN;
	if (json_is_null(value))
		return (double)INFINITY;
	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double read_report(const json_t *value)
{
	double sec = json_number_value(value);

	return sec >= 1 && sec <= REPORT_SEC_MAX ? sec : REPORT_SEC;
}

static enum astra_fault foreign(struct astra_error *err)
{
	astra_error_set(err, "the reply is none of the astraea plugin");
	return ASTRA_FAULT_INTERNAL;
}

enum astra_fault sfair_answer_read(const char *text, struct sfair_answer *out,
				   struct astra_error *err)
{
	json_t *reply = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *error = json_object_get(reply, "error");
	const json_t *lease = json_object_get(reply, "lease");
	enum astra_fault fault = ASTRA_FAULT_NONE;

	if (error)
		fault = read_fault(error, err);
	else if (!json_is_object(lease))
		fault = foreign(err);
	else
		*out = (struct sfair_answer){
			.remaining_sec = read_remaining(lease),
			.report_sec = read_report(
				json_object_get(reply, "report_sec")),
		};
	json_decref(reply);
	return fault;
}

enum astra_fault sfair_answer_check(const char *text, struct astra_error *err)
{
	json_t *reply = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *error = json_object_get(reply, "error");
	enum astra_fault fault = ASTRA_FAULT_NONE;

	if (error)
		fault = read_fault(error, err);
	else if (!json_is_integer(json_object_get(reply, "astraea")))
		fault = foreign(err);
	json_decref(reply);
	return fault;
}
