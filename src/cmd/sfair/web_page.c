/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/web.css.h"
#include "src/cmd/sfair/web.h"
#include "src/cmd/sfair/web.js.h"

#define NAME_CHARS 32
#define NODES_MAX 1000 /* of a pool */
#define SQUARES_MAX 64 /* for one node; more GPUs are a number */

/* ---- Tenants. ---- */

/* Returns a tenant's colour; if there are charts of the past, the one it has
 * there. */
size_t web_look(const struct web_view *v, const char *pool, const char *tenant)
{
	if (v->past && v->past->tenant_count) {
		for (size_t i = 0; i < v->past->tenant_count; i++)
			if (!strcmp(v->past->tenants[i]->name, tenant) &&
			    !strcmp(v->past->tenants[i]->pool, pool))
				return v->past->tenants[i]->look;
		return PAGE_OTHERS;
	}
	for (size_t i = 0; i < v->model->tenant_count && i < PAGE_OTHERS; i++)
		if (!strcmp(v->model->tenants[i].name, tenant) &&
		    !strcmp(v->model->tenants[i].pool, pool))
			return i;
	return PAGE_OTHERS;
}

static void web_page_put_square(FILE *f, size_t look, char letter)
{
	fprintf(f, "<i class=\"c%zu\">%c</i>", look, letter);
}

/* Writes a tenant with its letter. tag: the element, with its class; left
 * open. */
void web_put_tenant(const struct web_view *v, FILE *f, const char *tag,
		    const char *pool, const char *name, char letter)
{
	fprintf(f, "<%s>", tag);
	if (!*name) {
		fputs("-", f);
		return;
	}
	fputs("<span class=\"g\" aria-hidden=\"true\">", f);
	web_page_put_square(f, web_look(v, pool, name), letter);
	fputs("</span>", f);
	page_name(f, name, NAME_CHARS);
}

/* ---- The head. ---- */

/* Writes a time of day. Adds the day if the time is far from now; writes date
 * and time in full if now is NAN. */
void web_put_clock(FILE *f, double sec, double now_sec)
{
	time_t when = (time_t)sec;
	bool near = fabs(sec - now_sec) < 43200;
	char text[64];
	struct tm tm = {0};

	localtime_r(&when, &tm);
	if (isnan(now_sec))
		strftime(text, sizeof(text), "%a %d %b %Y, %H:%M:%S (%Z)", &tm);
	else if (near)
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	else
		strftime(text, sizeof(text), "%d %b %H:%M", &tm);
	fputs(text, f);
}

static void web_page_put_date(FILE *f, double sec)
{
	web_put_clock(f, sec, (double)NAN);
}

static void web_page_put_silence(const struct web_view *v, FILE *f)
{
	fputs("<b>slurmctld, or its astraea plugin, does not answer</b> since ",
	      f);
	web_page_put_date(f, v->silent_sec);
	if (v->model) {
		fputs(". What stands below is of ", f);
		web_page_put_date(f, v->model->time_sec);
	} else {
		fputs(", and no state is known yet", f);
	}
	fprintf(f, ". It is asked again every %.0f s.", v->every_sec);
}

static void web_page_put_state(const struct web_view *v, FILE *f)
{
	bool stale = v->silent_sec > 0;

	fprintf(f,
		"<p id=\"state\" class=\"state%s\" role=\"status\" "
		"data-every=\"%.0f\" data-number=\"%.0f/%.0f\">",
		stale || v->idle ? " bad" : "", v->every_sec,
		v->model ? v->model->time_sec : 0, v->silent_sec);
	if (stale) {
		web_page_put_silence(v, f);
	} else {
		fputs("As of ", f);
		web_page_put_date(f, v->model->time_sec);
		fprintf(f, ", renewed every %.0f s.", v->every_sec);
	}
	if (v->idle)
		fputs(" <b>The plugin manages no jobs now</b>: all are Slurm's "
		      "own, and sfair diag says why.",
		      f);
	fputs("</p>\n", f);
}

/* Writes a tile with a number. small: a number in small type behind it, between
 * the words `before` and `after`. */
static void web_page_put_tile(FILE *f, const char *name, double value,
			      const char *before, double small,
			      const char *after)
{
	fprintf(f, "<div><dt>%s</dt><dd>", name);
	page_fixed(f, value, 0);
	fprintf(f, "<small>%s", before);
	page_fixed(f, small, 0);
	fprintf(f, "%s</small></dd></div>\n", after);
}

static double web_page_sum_jobs(const struct top_list *list, bool gpus)
{
	double sum = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct top_job *j = list->rows[i];

		if (!gpus)
			sum += j->copies;
		else if (j->gpus > 0)
			sum += j->copies * j->gpus;
	}
	return sum;
}

static void web_page_put_lowest(const struct top_model *m, FILE *f)
{
	const struct top_tenant *worst = NULL;

	for (size_t i = 0; i < m->tenant_count; i++)
		if (m->tenants[i].demand > 0 && !isnan(m->tenants[i].rho) &&
		    (!worst || m->tenants[i].rho < worst->rho))
			worst = &m->tenants[i];
	if (!worst)
		return;
	fputs("<div><dt>Lowest rho</dt><dd>", f);
	page_fixed(f, worst->rho, 2);
	fputs("<small>", f);
	page_name(f, worst->name, 20);
	fputs("</small></dd></div>\n", f);
}

static void web_page_put_tiles(const struct top_model *m, FILE *f)
{
	double all = 0, free_ = 0, down = 0, held;

	for (size_t i = 0; i < m->pool_count; i++) {
		all += m->pools[i].gpus;
		free_ += m->pools[i].free;
		down += m->pools[i].down;
	}
	held = all - free_ - down;
	fputs("<dl class=\"tiles\">\n", f);
	web_page_put_tile(f, "GPUs", all, "", down, " down or drained");
	web_page_put_tile(f, "In use", held, "", all > 0 ? 100 * held / all : 0,
			  " %");
	web_page_put_tile(f, "Free", free_, "", all > 0 ? 100 * free_ / all : 0,
			  " %");
	web_page_put_tile(f, "Jobs with GPUs",
			  web_page_sum_jobs(&m->lists[TOP_LEASES], false), "",
			  web_page_sum_jobs(&m->lists[TOP_LEASES], true),
			  " GPUs");
	web_page_put_tile(f, "Jobs waiting",
			  web_page_sum_jobs(&m->lists[TOP_QUEUE], false),
			  "for ", web_page_sum_jobs(&m->lists[TOP_QUEUE], true),
			  " GPUs");
	web_page_put_lowest(m, f);
	fputs("</dl>\n", f);
}

/* ---- GPUs by node. ---- */

static void web_page_put_squares(FILE *f, const char *class, char letter,
				 double count)
{
	for (double i = 0; i < count && i < SQUARES_MAX; i++)
		fprintf(f, "<i class=\"%s\">%c</i>", class, letter);
}

static void web_page_put_holder(const struct web_view *v,
				const struct top_node *n,
				const struct top_holder *h, FILE *f)
{
	char class[8];

	snprintf(class, sizeof(class), "c%zu", web_look(v, n->pool, h->tenant));
	fputs("<span class=\"g\" title=\"", f);
	if (*h->id_text) {
		page_name(f, h->tenant, NAME_CHARS);
		fputs(", job ", f);
		page_name(f, h->id_text, NAME_CHARS);
	} else {
		fputs("a job that is not shown", f);
	}
	fprintf(f, ": %.0f\">", h->gpus);
	web_page_put_squares(f, *h->tenant ? class : "h", h->letter, h->gpus);
	fputs("</span>", f);
}

/* Writes a text such as "8 GPUs: 4 physics, 2 free". */
static void web_page_put_words(const struct top_node *n, double down, FILE *f)
{
	const char *mark = ":";

	fprintf(f, "%.0f GPUs", n->gpus);
	for (size_t i = 0; i < n->holder_count; i++) {
		fprintf(f, "%s %.0f ", mark, n->holders[i].gpus);
		page_name(f,
			  *n->holders[i].tenant ? n->holders[i].tenant
						: "of a job not shown",
			  NAME_CHARS);
		mark = ",";
	}
	if (n->free > 0)
		fprintf(f, "%s %.0f free", mark, n->free);
	if (down > 0)
		fprintf(f, "%s %.0f not to be had", n->free > 0 ? "," : mark,
			down);
}

static double web_page_of_none(const struct top_node *n)
{
	return fmax(n->gpus - n->held - n->free, 0);
}

static void web_page_put_node(const struct web_view *v,
			      const struct top_node *n, FILE *f)
{
	fputs("<li><b>", f);
	page_name(f, n->name, NAME_CHARS);
	fputs("</b><span class=\"g\" role=\"img\" aria-label=\"", f);
	web_page_put_words(n, web_page_of_none(n), f);
	fputs("\">", f);
	for (size_t i = 0; i < n->holder_count; i++)
		web_page_put_holder(v, n, &n->holders[i], f);
	if (n->free > 0) {
		fputs("<span class=\"g\" title=\"free\">", f);
		web_page_put_squares(f, "f", '.', n->free);
		fputs("</span>", f);
	}
	if (web_page_of_none(n) > 0) {
		fputs("<span class=\"g\" title=\"not to be had\">", f);
		web_page_put_squares(f, "d", 'x', web_page_of_none(n));
		fputs("</span>", f);
	}
	fputs("</span>", f);
	if (strcmp(n->state, "up") != 0) {
		fputs("<em>", f);
		page_name(f, n->state, NAME_CHARS);
		fputs("</em>", f);
	}
	fputs("</li>\n", f);
}

static void web_page_put_legend(const struct web_view *v, FILE *f)
{
	const struct top_model *m = v->model;

	fputs("<p class=\"legend\" aria-label=\"What the squares mean\">", f);
	for (size_t i = 0; i < m->tenant_count && i < 2 * PAGE_OTHERS; i++)
		if (m->tenants[i].alloc > 0) {
			web_put_tenant(v, f, "span", m->tenants[i].pool,
				       m->tenants[i].name,
				       m->tenants[i].letter);
			fputs("</span>", f);
		}
	fputs("<span><span class=\"g\" aria-hidden=\"true\"><i "
	      "class=\"f\">.</i></span>free</span>"
	      "<span><span class=\"g\" aria-hidden=\"true\"><i "
	      "class=\"d\">x</i></span>down, drained or kept</span></p>\n",
	      f);
}

/* Writes how many rows of a part are shown, if not all are. */
void web_put_rest(FILE *f, const char *what, size_t count, size_t most)
{
	if (count > most)
		fprintf(f, "<p class=\"soft\">The first %zu %s of %zu.</p>\n",
			most, what, count);
}

static void web_page_put_nodes(const struct web_view *v, FILE *f)
{
	const struct top_model *m = v->model;

	fputs("<section id=\"Nodes\">\n<h2>GPUs by node and tenant</h2>\n", f);
	if (!m->node_count) {
		fputs("<p class=\"none\">No nodes are shown: there are none, "
		      "or PrivateData hides them.</p></section>\n",
		      f);
		return;
	}
	web_page_put_legend(v, f);
	for (size_t p = 0; p < m->pool_count; p++) {
		size_t shown = 0;

		if (m->pool_count > 1) {
			fputs("<h3>Pool ", f);
			page_name(f, m->pools[p].name, NAME_CHARS);
			fputs("</h3>\n", f);
		}
		fputs("<ul class=\"nodes\">\n", f);
		for (size_t i = 0; i < m->node_count && shown < NODES_MAX; i++)
			if (!strcmp(m->nodes[i].pool, m->pools[p].name)) {
				web_page_put_node(v, &m->nodes[i], f);
				shown++;
			}
		fputs("</ul>\n", f);
	}
	web_put_rest(f, "nodes", m->node_count, NODES_MAX);
	fputs("</section>\n", f);
}

/* ---- The page. ---- */

static void web_page_put_past(const struct web_view *v, FILE *f)
{
	if (v->past && v->past->tenant_count) {
		page_usage(v->past, f);
		page_fairness(v->past, f);
		return;
	}
	fprintf(f,
		"<section>\n<h2>The last day</h2>\n<p class=\"none\">%s</p>"
		"</section>\n",
		*v->no_past ? v->no_past
			    : "Nothing is shown of the last day: no job had "
			      "GPUs, or PrivateData hides them.");
}

static void web_page_put_foot(FILE *f)
{
	fputs("</main>\n<footer><p>Made by <code>sfair web</code>; the same as "
	      "JSON: <a href=\"data.json\">data.json</a>. Click on a heading "
	      "of a table to sort it, on a tenant's name above a chart to see "
	      "it alone. rho is GPU time had over GPU time due: 1 is exactly "
	      "fair.</p></footer>\n",
	      f);
	page_script(f);
	fprintf(f, "<script>%s</script>\n</body>\n</html>\n", web_js);
}

void web_page(const struct web_view *v, FILE *f)
{
	static const struct page_live live = {web_css, WEB_JS_HASH};
	char title[160];

	snprintf(title, sizeof(title), "GPUs of %s",
		 v->model && *v->model->cluster ? v->model->cluster
						: "the cluster");
	page_head(title, &live, f);
	web_page_put_state(v, f);
	if (v->model) {
		web_page_put_tiles(v->model, f);
		fputs("<nav aria-label=\"On this page\"><a href=\"#Nodes\">"
		      "Nodes</a><a href=\"#Tenants\">Tenants</a><a "
		      "href=\"#Leases\">Leases</a><a href=\"#Queue\">Queue</a>"
		      "<a href=\"#Past\">The last day</a></nav>\n",
		      f);
		web_page_put_nodes(v, f);
		page_filter(f);
		web_tenants(v, f);
		web_leases(v, f);
		web_queue(v, f);
		fputs("<div id=\"Past\">", f);
		web_page_put_past(v, f);
		fputs("</div>\n", f);
	}
	web_page_put_foot(f);
}
