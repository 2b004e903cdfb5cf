/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/columns.h"

#include <string.h>
#include <strings.h>

#include "src/sim/field.h"
#include "src/sim/read_priv.h"

/* For each column, the name in our own traces comes first. */
static const struct {
	const char *name;
	enum astra_column column;
	bool accounting; /* only sacct has this name */
} names[] = {
	{"job_id", ASTRA_COLUMN_ID, false},
	{"JobID", ASTRA_COLUMN_ID, true},
	{"JobIDRaw", ASTRA_COLUMN_RAW_ID, true},
	{"tenant", ASTRA_COLUMN_TENANT, false},
	{"Account", ASTRA_COLUMN_TENANT, false},
	{"user", ASTRA_COLUMN_USER, false},
	{"submit_s", ASTRA_COLUMN_SUBMIT, false},
	{"Submit", ASTRA_COLUMN_SUBMIT, false},
	{"eligible_s", ASTRA_COLUMN_ELIGIBLE, false},
	{"Eligible", ASTRA_COLUMN_ELIGIBLE, false},
	{"start_s", ASTRA_COLUMN_START, false},
	{"Start", ASTRA_COLUMN_START, false},
	{"end_s", ASTRA_COLUMN_END, false},
	{"End", ASTRA_COLUMN_END, false},
	{"duration_s", ASTRA_COLUMN_DURATION, false},
	{"ElapsedRaw", ASTRA_COLUMN_DURATION, false},
	{"Elapsed", ASTRA_COLUMN_ELAPSED, false},
	{"gpus", ASTRA_COLUMN_GPUS, false},
	{"AllocTRES", ASTRA_COLUMN_ALLOC_TRES, false},
	{"ReqTRES", ASTRA_COLUMN_REQ_TRES, false},
	{"nodes", ASTRA_COLUMN_NODES, false},
	{"NNodes", ASTRA_COLUMN_NODES, false},
	{"AllocNodes", ASTRA_COLUMN_NODES, false},
	{"limit_s", ASTRA_COLUMN_LIMIT, false},
	{"Timelimit", ASTRA_COLUMN_LIMIT, false},
	{"TimelimitRaw", ASTRA_COLUMN_LIMIT_MIN, false},
	{"status", ASTRA_COLUMN_STATE, false},
	{"State", ASTRA_COLUMN_STATE, false},
	{"app_id", ASTRA_COLUMN_APP, false},
	{"slowdown", ASTRA_COLUMN_SLOWDOWN, false},
	{"gpus_min", ASTRA_COLUMN_GPUS_MIN, false},
	{"utility", ASTRA_COLUMN_UTILITY, false},
};

#define NAME_COUNT (sizeof(names) / sizeof(*names))

const char *astra_column_name(enum astra_column column)
{
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (names[i].column == column)
			return names[i].name;
	return "";
}

/* Returns the separator: of these characters, the most frequent one in the
 * line. */
static char separator_of(const char *line)
{
	static const char separators[] = ",|\t;";
	size_t most = 0;
	char best = ',';

	for (const char *s = separators; *s; s++) {
		size_t count = 0;

		for (const char *at = line; (at = strchr(at, *s)); at++)
			count++;
		if (count > most) {
			most = count;
			best = *s;
		}
	}
	return best;
}

static void columns_find_column(struct astra_columns *columns, char *name,
				int at)
{
	name += strspn(name, " ");
	for (size_t length = strlen(name); length && name[length - 1] == ' ';)
		name[--length] = '\0';
	for (size_t i = 0; i < NAME_COUNT; i++) {
		if (strcasecmp(names[i].name, name) != 0)
			continue;
		if (columns->at[names[i].column] < 0)
			columns->at[names[i].column] = at;
		columns->accounting |= names[i].accounting;
	}
}

static bool columns_has(const struct astra_columns *columns,
			enum astra_column column)
{
	return columns->at[column] >= 0;
}

/* Returns the possible names of a required column that is missing, or NULL if
 * all are there. */
static const char *missing(const struct astra_columns *columns)
{
	if (!columns_has(columns, ASTRA_COLUMN_SUBMIT))
		return "submit_s or Submit";
	if (!columns_has(columns, ASTRA_COLUMN_DURATION) &&
	    !columns_has(columns, ASTRA_COLUMN_ELAPSED) &&
	    !(columns_has(columns, ASTRA_COLUMN_START) &&
	      columns_has(columns, ASTRA_COLUMN_END)))
		return "duration_s, Elapsed, ElapsedRaw, or Start and End";
	if (!columns_has(columns, ASTRA_COLUMN_GPUS) &&
	    !columns_has(columns, ASTRA_COLUMN_ALLOC_TRES) &&
	    !columns_has(columns, ASTRA_COLUMN_REQ_TRES))
		return "gpus, AllocTRES or ReqTRES";
	return NULL;
}

int astra_columns_parse(struct astra_columns *columns, char *line,
			const struct astra_lines *lines,
			struct astra_error *err)
{
	char *fields[ASTRA_COLUMN_MAX];
	const char *lacks;

	*columns = (struct astra_columns){.separator = separator_of(line)};
	for (int i = 0; i < ASTRA_COLUMN_COUNT; i++)
		columns->at[i] = -1;
	columns->count = astra_field_split(line, columns->separator,
					   columns->separator != '|', fields,
					   ASTRA_COLUMN_MAX);
	if (!columns->count || columns->count > ASTRA_COLUMN_MAX)
		return astra_error_set(err,
				       "%s: line %u: the names of columns are "
				       "more than %d, or a quote is open",
				       lines->name, lines->number,
				       ASTRA_COLUMN_MAX);
	for (size_t i = 0; i < columns->count; i++)
		columns_find_column(columns, fields[i], (int)i);
	lacks = missing(columns);
	if (!lacks)
		return 0;
	return astra_error_set(err, "%s: line %u has no column %s", lines->name,
			       lines->number, lacks);
}

/* Whether a line is the head of a CSV trace, that is, names at least one column
 * of traces. Reading such a trace fails later if required columns are
 * missing. */
bool astra_is_csv(const char *line)
{
	static const enum astra_column any[] = {
		ASTRA_COLUMN_SUBMIT,	 ASTRA_COLUMN_DURATION,
		ASTRA_COLUMN_ELAPSED,	 ASTRA_COLUMN_GPUS,
		ASTRA_COLUMN_ALLOC_TRES, ASTRA_COLUMN_ID,
	};

	for (size_t i = 0; i < sizeof(any) / sizeof(*any); i++)
		for (size_t j = 0; j < NAME_COUNT; j++)
			if (names[j].column == any[i] &&
			    strcasestr(line, names[j].name))
				return true;
	return false;
}

bool astra_state_open(const char *state)
{
	static const char *const open[] = {
		"RUNNING",    "PENDING",     "SUSPENDED",
		"COMPLETING", "CONFIGURING", "STOPPED",
	};

	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++)
		if (!strncasecmp(state, open[i], strlen(open[i])))
			return true;
	return false;
}
