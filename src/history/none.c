/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stubs for a build --without-history. Each says that there is no history. */
#include <stddef.h>
#include <string.h>

#include "src/history/history.h"
#include "src/history/past.h"
#include "src/history/read.h"
#include "src/history/schema.h"

static int none(struct astra_error *err)
{
	return astra_error_set(err, "Astraea was built without history");
}

int astra_history_open(const char *path, const char *cluster,
		       struct sqlite3 **db, struct astra_error *note,
		       struct astra_error *err)
{
	(void)path;
	(void)cluster;
	*db = NULL;
	*note = (struct astra_error){""};
	return none(err);
}

int astra_history_open_read(const char *path, struct sqlite3 **db,
			    struct astra_error *err)
{
	(void)path;
	*db = NULL;
	return none(err);
}

void astra_history_close(struct sqlite3 *db)
{
	(void)db;
}

int astra_history_set_aside(const char *path, const char *suffix,
			    struct astra_error *note, struct astra_error *err)
{
	(void)path;
	(void)suffix;
	(void)note;
	return none(err);
}

int astra_history_start(const struct astra_history_options *options,
			struct astra_error *err)
{
	(void)options;
	return none(err);
}

void astra_history_note(struct astra_report *report)
{
	(void)report;
}

void astra_history_stop(void)
{
}

double astra_history_behind(double now_sec)
{
	return now_sec;
}

void astra_history_stats(struct astra_history_stats *out)
{
	memset(out, 0, sizeof(*out));
	out->figures.state = "off";
	out->figures.file = out->file;
	out->figures.error = out->error.text;
}

void astra_history_read_from(const char *path)
{
	(void)path;
}

void astra_history_read_cancel(void)
{
}

void astra_history_read_stop(void)
{
}

enum astra_fault astra_history_report(const struct astra_query *query,
				      const struct astra_viewer *viewer,
				      const struct astra_report *report,
				      struct astra_text *out,
				      struct astra_error *err)
{
	(void)query;
	(void)viewer;
	(void)report;
	(void)out;
	none(err);
	return ASTRA_FAULT_NO_DATA;
}

int astra_history_past(const struct astra_history_past *past,
		       struct astra_error *err)
{
	(void)past;
	return none(err);
}
