/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/html_priv.h"

static void put_setup(const struct astra_page *page, FILE *file)
{
	const struct astra_comparison *c = page->comparison;

	fputs("<p class=\"soft\">", file);
	html_text(file, c->trace->source);
	fprintf(file, ": %zu jobs of %zu tenants, on %llu GPUs.</p>\n",
		c->trace->job_count, c->trace->tenant_count,
		(unsigned long long)c->gpus);
}

static void html_page_put_foot(const struct astra_page *page, FILE *file)
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
	html_begin(page->title, file);
	put_setup(page, file);
	if (page->terms_sec)
		put_recommended(page, file);
	if (page->is_sweep) {
		html_sweep(page, file);
	} else if (put_policies(page, file) < 0) {
		return astra_error_nomem(err);
	}
	html_table(page, file);
	if (html_waits(page->comparison, file) < 0)
		return astra_error_nomem(err);
	html_page_put_foot(page, file);
	return 0;
}
