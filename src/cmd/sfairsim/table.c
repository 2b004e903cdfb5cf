/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/sim/outfile.h"

#define PLAIN_WIDTH 100 /* where there is no terminal */

static size_t width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return PLAIN_WIDTH;
}

typedef int writer(const struct astra_comparison *comparison, FILE *file,
		   struct astra_error *err);

static int write_one(struct astra_outfiles *files, const char *path,
		     writer *write, const struct astra_comparison *c,
		     struct astra_error *err)
{
	FILE *file;

	if (!path)
		return 0;
	file = astra_outfiles_open(files, path, err);
	return file ? write(c, file, err) : -1;
}

static int write_files(const struct astra_comparison *c,
		       const struct sfairsim_args *args,
		       struct astra_error *err)
{
	struct astra_outfiles files = {0};
	int rc = -1;

	if (write_one(&files, args->csv, astra_compare_csv, c, err) == 0 &&
	    write_one(&files, args->json, astra_compare_json, c, err) == 0 &&
	    write_one(&files, args->markdown, astra_compare_markdown, c, err) ==
		    0)
		rc = astra_outfiles_commit(&files, err);
	astra_outfiles_clear(&files);
	return rc;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int sfairsim_table_write(const struct sfairsim_table *table,
			 const struct sfairsim_setup *setup,
			 const struct sfairsim_args *args,
			 const struct sfairsim_case *cases, size_t count,
			 struct astra_error *err)
{
	struct astra_compared *rows = calloc(count, sizeof(*rows));
	struct astra_comparison c = {
		.what = table->what,
		.trace = &setup->trace,
		.gpus = setup->cluster.gpus,
		.cases = rows,
		.count = count,
	};
	int rc;

	if (!rows)
		return astra_error_nomem(err);
	for (size_t i = 0; i < count; i++) {
		snprintf(rows[i].label, sizeof(rows[i].label), "%s",
			 cases[i].name);
		rows[i].digest = cases[i].digest;
	}
	rc = write_files(&c, args, err);
	if (!rc && !is_stdout(args->csv) && !is_stdout(args->json) &&
	    !is_stdout(args->markdown))
		rc = astra_compare_print(&c, stdout, width(), err);
	free(rows);
	return rc;
}
