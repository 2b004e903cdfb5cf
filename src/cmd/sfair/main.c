/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair: asks the astraea plugin about tenants, jobs, leases, reasons and
 * diagnostics. Parsing, requests and printing are in files of their own. */
#include "astra_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/slurm.h"
#include "src/proto/sack.h"

#define JSON_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

static int main_fail(const struct astra_error *err)
{
	fflush(stdout);
	fprintf(stderr, "sfair: error: %s\n", err->text);
	return 1;
}

static int help_format(const struct sfair_args *args)
{
	const struct sfair_table *table = sfair_table_of(args->query.kind);

	if (table)
		sfair_list_fields(astra_query_kind_name(args->query.kind),
				  table);
	else
		printf("sfair %s takes no --format\n",
		       astra_query_kind_name(args->query.kind));
	return 0;
}

static int help_formats(void)
{
	sfair_list_fields("tenant", sfair_table_of(ASTRA_QUERY_TENANT));
	sfair_list_fields("job and lease", sfair_table_of(ASTRA_QUERY_JOB));
	sfair_list_fields("auction", sfair_table_of(ASTRA_QUERY_AUCTION));
	sfair_list_fields("price", sfair_table_of(ASTRA_QUERY_PRICE));
	sfair_list_fields("class", sfair_table_of(ASTRA_QUERY_CLASS));
	return 0;
}

/* Writes JSON in one piece, as json_dumpf() would write each comma by itself.
 * The first line goes on behind the present text; each other line begins with
 * blanks. */
static int put_json(const json_t *value, const char *blanks,
		    struct astra_error *err)
{
	char *text = json_dumps(value, JSON_FORMAT), *rest = text, *line;

	if (!text)
		return astra_error_nomem(err);
	fputs(strsep(&rest, "\n"), stdout);
	while ((line = strsep(&rest, "\n"))) {
		putchar('\n');
		fputs(blanks, stdout);
		fputs(line, stdout);
	}
	free(text);
	return 0;
}

static int put_json_rows(const struct sfair_rows *rows, struct astra_error *err)
{
	for (size_t i = 0; i < rows->count; i++) {
		json_t *row = sfair_rows_get(rows, i);
		int rc;

		if (!row)
			return sfair_rows_fail(i, err);
		fputs(i ? ",\n    " : "\n    ", stdout);
		rc = put_json(row, "    ", err);
		json_decref(row);
		if (rc < 0)
			return -1;
	}
	fputs("\n  ", stdout);
	return 0;
}

/* Writes a reply as JSON, and its rows in the place of the reply's empty
 * array. */
static int main_print_json(const json_t *reply, const char *key,
			   const struct sfair_rows *rows,
			   struct astra_error *err)
{
	char place[64], *text, *at;
	int rc = 0;

	text = json_dumps(reply, JSON_FORMAT);
	if (!text)
		return astra_error_nomem(err);
	snprintf(place, sizeof(place), "\n  \"%s\": [", key ? key : "");
	at = rows->count && !rows->list ? strstr(text, place) : NULL;
	if (at) {
		at += strlen(place);
		fwrite(text, 1, (size_t)(at - text), stdout);
		rc = put_json_rows(rows, err);
	}
	if (!rc) /* after an error, the output stays visibly incomplete */
		puts(at ? at : text);
	free(text);
	return rc;
}

/* Returns the key of the reply's rows, if they can be parsed one at a time;
 * else NULL. */
static const char *rows_key(const struct sfair_args *args)
{
	return args->query.mine ? NULL : sfair_rows_key(args->query.kind);
}

static int main_print_reply(const json_t *reply, const struct sfair_rows *rows,
			    const struct sfair_args *args,
			    struct astra_error *err)
{
	if (args->style == SFAIR_JSON)
		return main_print_json(reply, rows_key(args), rows, err);
	if (args->query.mine)
		sfair_print_mine(reply, args);
	else if (args->query.kind == ASTRA_QUERY_WHY)
		sfair_print_why(reply, args);
	else if (args->query.kind == ASTRA_QUERY_DIAG)
		sfair_print_diag(reply, args);
	else if (sfair_print_table(reply, rows, args, err) < 0)
		return -1;
	if (args->query.mine || sfair_table_of(args->query.kind))
		sfair_tell_idle(reply);
	return 0;
}

/* Applies --format before anything is asked. So an error in it is reported
 * first, and only the fields that are shown are requested for thousands of
 * jobs. */
static int apply_format(struct sfair_args *args, struct astra_error *err)
{
	const struct sfair_table *table = sfair_table_of(args->query.kind);
	struct sfair_choices choices = {0};
	int rc = 0;

	if (table)
		rc = sfair_format_parse(
			table, args->format ? args->format : table->format,
			&choices, err);
	if (!rc && args->style != SFAIR_JSON &&
	    sfair_choices_keys(&choices, &args->query.fields) < 0)
		rc = astra_error_nomem(err);
	free(choices.items);
	return rc;
}

static int main_run(struct sfair_args *args, struct astra_error *err)
{
	struct sfair_rows rows = {0};
	const char *key = rows_key(args);
	json_t *reply;
	int rc;

	if (apply_format(args, err) < 0)
		return -1;
	reply = sfair_ask_rows(&args->query, args->verbose, key,
			       key ? &rows : NULL, err);
	if (!reply && args->query.jobs.count == 1 &&
	    args->query.kind == ASTRA_QUERY_WHY && sfair_not_found())
		reply = sfair_why_other(&args->query);
	rc = reply ? main_print_reply(reply, &rows, args, err) : -1;
	json_decref(reply);
	sfair_rows_clear(&rows);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	return rc;
}

/* Prints where the plugin listens, as shell variables, for programs that do not
 * use Slurm's libraries. */
static int print_where(struct astra_error *err)
{
	struct sfair_where where;
	int rc = sfair_find(&where, err);

	if (!rc) {
		printf("SFAIR_SOCKET=%s\n", where.path);
		if (where.auth)
			printf("%s=%s\n",
			       astra_sack_is(where.auth) ? "SFAIR_AUTH"
							 : "SFAIR_MUNGE_SOCKET",
			       where.auth);
	}
	sfair_where_clear(&where);
	return rc;
}

int main(int argc, char **argv)
{
	struct sfair_args args = {0};
	struct astra_error err = {""};
	sfair_run *command =
		argc > 1 ? sfair_command_find(argc - 1, argv + 1) : NULL;
	int rc;

	sfair_argv = argv;
	if (command) {
		rc = command(argc - 1, argv + 1, &err);
		return rc < 0 ? main_fail(&err) : 0;
	}
	rc = sfair_args_parse(argc, argv, &args, &err);
	if (rc > 0)
		rc = 0;
	else if (rc == 0 && args.help_format)
		rc = args.command ? help_format(&args) : help_formats();
	else if (rc == 0)
		rc = args.where ? print_where(&err) : main_run(&args, &err);
	if (rc < 0)
		rc = main_fail(&err);
	astra_query_destroy(&args.query);
	return rc;
}
