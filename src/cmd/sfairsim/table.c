/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/sim/html.h"
#include "src/sim/outfile.h"

#define PLAIN_WIDTH 100 /* if there is no terminal */

static size_t width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return PLAIN_WIDTH;
}

/* Writes a page's comparison as CSV. The next functions write it in other
 * forms. */
static int table_write_csv(const struct astra_page *page, FILE *file,
			   struct astra_error *err)
{
	return astra_compare_csv(page->comparison, file, err);
}

static int table_write_json(const struct astra_page *page, FILE *file,
			    struct astra_error *err)
{
	return astra_compare_json(page->comparison, file, err);
}

static int write_markdown(const struct astra_page *page, FILE *file,
			  struct astra_error *err)
{
	return astra_compare_markdown(page->comparison, file, err);
}

static int table_write_files(const struct astra_page *page,
			     const struct sfairsim_args *args,
			     struct astra_error *err)
{
	const struct {
		const char *path;
		int (*write)(const struct astra_page *page, FILE *file,
			     struct astra_error *err);
	} outputs[] = {
		{args->csv, table_write_csv},
		{args->json, table_write_json},
		{args->markdown, write_markdown},
		{args->html, astra_html_write},
	};
	struct astra_outfiles files = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < 4; i++) {
		FILE *file;

		if (!outputs[i].path)
			continue;
		file = astra_outfiles_open(&files, outputs[i].path, err);
		rc = file ? outputs[i].write(page, file, err) : -1;
	}
	if (!rc)
		rc = astra_outfiles_commit(&files, err);
	astra_outfiles_clear(&files);
	return rc;
}

static bool to_stdout(const struct sfairsim_args *args)
{
	const char *const paths[] = {args->csv, args->json, args->markdown,
				     args->html};

	for (size_t i = 0; i < 4; i++)
		if (paths[i] && !strcmp(paths[i], "-"))
			return true;
	return false;
}

/* Prints the table and, for lease terms, the line for astraea.conf. */
static int print(const struct astra_page *page, struct astra_error *err)
{
	const struct astra_comparison *c = page->comparison;

	if (astra_compare_print(c, stdout, width(), err) < 0)
		return -1;
	if (!page->terms_sec)
		return 0;
	putchar('\n');
	astra_cli_wrap(0, "# ", page->why);
	printf("%s=%s\n", c->what, c->cases[page->recommended].label);
	return 0;
}

static struct astra_compared *compared_rows(const struct sfairsim_case *cases,
					    size_t count)
{
	struct astra_compared *rows = calloc(count, sizeof(*rows));

	for (size_t i = 0; rows && i < count; i++) {
		snprintf(rows[i].label, sizeof(rows[i].label), "%s",
			 cases[i].name);
		rows[i].digest = cases[i].digest;
	}
	return rows;
}

int sfairsim_table_write(const struct sfairsim_table *table,
			 const struct sfairsim_setup *setup,
			 const struct sfairsim_args *args,
			 const struct sfairsim_case *cases, size_t count,
			 struct astra_error *err)
{
	struct astra_compared *rows = compared_rows(cases, count);
	const struct astra_comparison c = {
		.what = table->what,
		.trace = &setup->trace,
		.gpus = setup->cluster.gpus,
		.cases = rows,
		.count = count,
	};
	struct astra_page page = {
		.comparison = &c,
		.title = table->title,
		.command = args->command,
		.is_sweep = table->is_sweep,
		.terms_sec = table->terms_sec,
	};
	struct astra_text why = {0};
	int rc;

	if (!rows)
		return astra_error_nomem(err);
	if (table->recommend)
		page.recommended = table->recommend(&c, &why);
	page.why = why.failed || !why.bytes ? "" : why.bytes;
	rc = table_write_files(&page, args, err);
	if (!rc && !to_stdout(args))
		rc = print(&page, err);
	astra_text_clear(&why);
	free(rows);
	return rc;
}
