/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/html_priv.h"

/* Nothing may be fetched from anywhere, whatever a name may say. */
static void put_head(const struct astra_page *page, FILE *file)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,"
	      "initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'; img-src data:\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      file);
	html_text(file, page->title);
	fputs("</title>\n", file);
	html_style(file);
	fputs("</head>\n<body>\n<main>\n<h1>", file);
	html_text(file, page->title);
	fputs("</h1>\n", file);
}

static void put_setup(const struct astra_page *page, FILE *file)
{
	const struct astra_comparison *c = page->comparison;

	fputs("<p class=\"soft\">", file);
	html_text(file, c->trace->source);
	fprintf(file, ": %zu jobs of %zu tenants, on %llu GPUs.</p>\n",
		c->trace->job_count, c->trace->tenant_count,
		(unsigned long long)c->gpus);
}

static void put_foot(const struct astra_page *page, FILE *file)
{
	fputs("</main>\n<footer>Made by <code>", file);
	html_text(file, page->command);
	fputs("</code></footer>\n", file);
	html_script(file);
	fputs("</body>\n</html>\n", file);
}

static void put_recommended(const struct astra_page *page, FILE *file)
{
	fputs("<p><b>LeaseTerm=", file);
	html_text(file, page->comparison->cases[page->recommended].label);
	fputs("</b> is recommended: ", file);
	html_text(file, page->why);
	fputs("</p>\n", file);
}

static int put_policies(const struct astra_page *page, FILE *file)
{
	html_legend(page->comparison, file);
	fputs("<div class=\"charts\">\n", file);
	html_curves(page->comparison, file);
	html_boxes(page->comparison, file);
	fputs("</div>\n", file);
	html_bars(page->comparison, file);
	return html_timelines(page->comparison, file);
}

int astra_html_write(const struct astra_page *page, FILE *file,
		     struct astra_error *err)
{
	put_head(page, file);
	put_setup(page, file);
	if (page->terms_sec)
		put_recommended(page, file);
	if (page->is_sweep) {
		html_sweep(page, file);
	} else if (put_policies(page, file) < 0) {
		return astra_error_nomem(err);
	}
	html_table(page, file);
	put_foot(page, file);
	return 0;
}
