/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/sim/compare.css.h"
#include "src/sim/compare.js.h"
#include "src/sim/compare_print.css.h"
#include "src/sim/html_priv.h"

static void html_table_put_head(const struct astra_page *page, FILE *file)
{
	fputs("<thead><tr><th scope=\"col\">", file);
	html_text(file, page->comparison->what);
	fputs("</th>", file);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		if (!astra_compare_known(page->comparison, m))
			continue;
		fputs("<th scope=\"col\" title=\"", file);
		html_text(file, m->help);
		fputs("\">", file);
		html_text(file, m->title);
		fputs("</th>", file);
	}
	fputs("</tr></thead>\n", file);
}

static void html_table_put_row(const struct astra_page *page, FILE *file,
			       size_t index)
{
	const struct astra_comparison *c = page->comparison;
	bool chosen = page->terms_sec && index == page->recommended;

	fprintf(file, "<tr%s><th scope=\"row\">",
		chosen ? " class=\"chosen\"" : "");
	html_text(file, c->cases[index].label);
	fputs("</th>", file);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		double value =
			astra_metric_value(&c->cases[index].digest->metrics, m);
		char text[32];

		if (!astra_compare_known(c, m))
			continue;
		fputs(astra_compare_best(c, m, index) ? "<td class=\"best\">"
						      : "<td>",
		      file);
		html_text(file, astra_metric_text(m, value, text));
		fputs("</td>", file);
	}
	fputs("</tr>\n", file);
}

static void html_table(const struct astra_page *page, FILE *file)
{
	fputs("<h2>All numbers</h2>\n<p>The best of each column is bold. "
	      "Point at a head for what it means.</p>\n"
	      "<div class=\"wide\"><table>\n",
	      file);
	html_table_put_head(page, file);
	fputs("<tbody>\n", file);
	for (size_t i = 0; i < page->comparison->count; i++)
		html_table_put_row(page, file, i);
	fputs("</tbody></table></div>\n", file);
}

/* Writes the table of first waits. Returns 0, or -1 if out of memory. */
static int html_waits(const struct astra_comparison *c, FILE *file)
{
	struct astra_grid g;

	if (astra_compare_waits(c, &g, NULL) < 0)
		return -1;
	fputs("<h2>" ASTRA_COMPARE_WAITS_TITLE "</h2>\n"
	      "<div class=\"wide\"><table>\n<thead>",
	      file);
	for (size_t i = 0; i < g.count; i++) {
		bool first = i % g.columns == 0;

		fputs(first ? "<tr>" : "", file);
		fputs(i < g.columns ? "<th scope=\"col\">"
		      : first	    ? "<th scope=\"row\">"
				    : "<td>",
		      file);
		html_text(file, g.cells[i]);
		fputs(i < g.columns || first ? "</th>" : "</td>", file);
		fputs((i + 1) % g.columns == 0 ? "</tr>\n" : "", file);
		fputs(i + 1 == g.columns ? "</thead>\n<tbody>" : "", file);
	}
	fputs("</tbody></table></div>\n", file);
	astra_grid_clear(&g);
	return 0;
}

/* Writes the legend, a button for each case. */
static void html_legend(const struct astra_comparison *c, FILE *file)
{
	fputs("<p class=\"keys\" id=\"keys\">", file);
	for (size_t i = 0; i < c->count; i++) {
		fputs("<button type=\"button\" aria-pressed=\"true\"", file);
		html_series(file, "key", i);
		fputs("><svg viewBox=\"0 0 26 10\" width=\"26\" height=\"10\">"
		      "<path",
		      file);
		html_series(file, "curve", i);
		fputs(" d=\"M0 5H26\"/></svg>", file);
		html_text(file, c->cases[i].label);
		fputs("</button> ", file);
	}
	fputs("</p>\n", file);
}

static void html_begin(const char *title, FILE *file)
{
	const struct html_head head = {
		.title = title,
		.scripts = COMPARE_JS_HASH,
		.style = compare_css,
		.print = compare_print_css,
	};

	html_head(file, &head);
}

static void html_script(FILE *file)
{
	fprintf(file, "<script>%s</script>\n", compare_js);
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
