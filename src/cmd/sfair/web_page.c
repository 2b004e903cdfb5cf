/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/web.h"

#define NAME_CHARS 32
#define NODES_MAX 1000 /* of a pool */
#define SQUARES_MAX 64 /* of a node; more are a number */

/* Squares of GPUs have their tenant's letter: a colour is not the only sign. */
static const char head[] =
	"<noscript><meta http-equiv=\"refresh\" content=\"30\"></noscript>\n"
	"<style>\n"
	".state{border-left:4px solid var(--c2);background:var(--box);"
	"padding:.4rem .8rem;border-radius:0 6px 6px 0;margin:.5rem 0 0}"
	".state.bad{border-color:var(--c1)}"
	".state.bad b{color:var(--c1)}\n"
	".nodes{list-style:none;margin:.5rem 0;padding:0;display:grid;"
	"gap:.35rem;grid-template-columns:repeat(auto-fill,minmax("
	"min(16.5rem,100%),1fr))}"
	".nodes li{background:var(--box);border-radius:6px;padding:.35rem "
	".6rem;display:flex;flex-wrap:wrap;gap:.15rem .6rem;"
	"align-items:center;min-width:0}"
	".nodes b{font-weight:600;overflow-wrap:anywhere;min-width:4.5rem}"
	".nodes em{font-style:normal;font-size:.78rem;color:var(--soft)}\n"
	".g{display:inline-flex;flex-wrap:wrap;gap:2px}"
	".g i{font:600 .74rem/1.3rem ui-monospace,monospace;width:1.3rem;"
	"height:1.3rem;text-align:center;border-radius:3px;"
	"background:var(--c);color:var(--bg)}"
	".g .c5{color:#000}"
	".g .f{background:none;box-shadow:inset 0 0 0 1px var(--line);"
	"color:var(--soft)}"
	".g .h{--c:var(--line)}"
	".g .d{background:repeating-linear-gradient(45deg,var(--line) 0 1px,"
	"var(--grid) 1px 5px);color:var(--fg)}\n"
	".legend{display:flex;flex-wrap:wrap;gap:.3rem 1rem;font-size:.85rem;"
	"margin:.3rem 0}.legend span{display:inline-flex;gap:.35rem;"
	"align-items:center;overflow-wrap:anywhere}"
	"td .g,th .g{vertical-align:middle;margin-right:.4rem}\n"
	"svg.bar{display:inline-block;width:120px;height:12px;"
	"vertical-align:middle}.bar .bg{fill:var(--grid)}"
	".bar .of{fill:var(--c)}.bar .at{stroke:var(--fg);stroke-width:2}\n"
	"td.why{white-space:normal;min-width:16rem;text-align:left}"
	"nav{font-size:.85rem;margin:.6rem 0 0;display:flex;flex-wrap:wrap;"
	"gap:.2rem 1rem}a{color:var(--c0)}"
	"#Tenants th[scope=row]{min-width:7rem}"
	"@media print{nav{display:none}}\n"
	/* On a telephone a job is a card. */
	"@media(max-width:640px){"
	"#Leases table,#Queue table,#Leases tbody,#Queue tbody{display:block}"
	"#Leases thead,#Queue thead{display:none}"
	"#Leases tr,#Queue tr{display:flex;flex-wrap:wrap;gap:.1rem .8rem;"
	"padding:.5rem 0;border-bottom:1px solid var(--grid)}"
	"#Leases tr>*,#Queue tr>*{padding:0;border:0;text-align:left;"
	"white-space:normal;min-width:0;overflow-wrap:anywhere}"
	"#Leases td:nth-child(2),#Queue td:nth-child(2){flex:1 1 55%}"
	"#Leases td:nth-child(5)::before,#Queue td:nth-child(5)::before"
	"{content:'GPUs '}"
	"#Leases td:nth-child(7)::before{content:'until '}"
	"#Leases td:nth-child(8)::before{content:'left '}"
	"#Queue td:nth-child(6)::before{content:'rank '}"
	"#Queue td:nth-child(7)::before{content:'waits for '}"
	"#Queue td:nth-child(8)::before{content:'start '}"
	"#Queue td.why{flex-basis:100%}}\n"
	"</style>\n";

/* Ask for the page again, and put what is new in the place of what was there,
 * with the order of tables, what is open and how far it was scrolled. Not while
 * nobody looks, or text is selected. */
static const char script[] =
	"const all=(m,s)=>[...m.querySelectorAll(s)];\n"
	"const places='details,.wide,.scroll',stops='button,summary,a';\n"
	"const renew=(was,now)=>{\n"
	"const focus=all(was,stops).indexOf(document.activeElement);\n"
	"const old=all(was,places),pin_=pinned;\n"
	"const sorts=all(was,'table.sort').map(t=>{const h=t.tHead."
	"querySelector('[aria-sort]');\n"
	"return h&&[t.closest('section').id,h.cellIndex,h.getAttribute('aria-sort')]});\n"
	"all(now,places).forEach((e,i)=>{if(old[i]?.open)e.open=true});\n"
	"for(const e of all(was,'input:checked')){const n=now.querySelector("
	"'#'+e.id);if(n)n.checked=true}\n"
	"was.replaceWith(now);\n"
	"for(const s of sorts)if(s){\n"
	"const h=document.getElementById(s[0])?.querySelector('thead')?"
	".rows[0].cells[s[1]];\n"
	"if(h){h.setAttribute('aria-sort',s[2]==='ascending'?'descending':"
	"'ascending');sorted(h)}}\n"
	"all(now,places).forEach((e,i)=>{if(old[i])e.scrollLeft=old[i]"
	".dataset.x||0});\n"
	"if(pin_!==null)pin(pin_);\n"
	"if(focus>=0)all(now,stops)[focus]?.focus({preventScroll:true})};\n"
	"addEventListener('scroll',e=>{if(e.target.dataset)"
	"e.target.dataset.x=e.target.scrollLeft},true);\n"
	"const state=()=>document.getElementById('state');\n"
	"const load=async()=>{\n"
	"if(document.hidden||getSelection().toString())return;\n"
	"try{\n"
	"const r=await fetch(location.pathname,{cache:'no-cache',"
	"signal:AbortSignal.timeout(20000)});\n"
	"const p=new DOMParser().parseFromString(await r.text(),'text/html');\n"
	"const now=p.querySelector('main');\n"
	"if(!now?.querySelector('#state'))throw 0;\n"
	"if(now.querySelector('#state').dataset.number!=="
	"state().dataset.number||state().dataset.lost)\n"
	"renew(document.querySelector('main'),now)\n"
	"}catch{\n"
	"if(!state().dataset.lost){state().dataset.lost=1;"
	"state().className='state bad';\n"
	"state().textContent='The server of this page does not answer since '+"
	"new Date().toLocaleTimeString()+'. '+state().textContent}}};\n"
	"setInterval(load,1000*state().dataset.every);\n"
	"addEventListener('visibilitychange',load,true);\n";

/* Of the script; live/87-web.sh checks it. */
#define SCRIPT_HASH "'sha256-qA0dXLoLHQDj4sFUR1Cm6M3oYxqo4cVWJn7VYEeTwcc='"

/* ---- Tenants. ---- */

/* The same colour as in the charts of the past, where there are any. */
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

/* A tenant with its letter. tag: with its class: it is open behind. */
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

/* A time of day; far from now, or in full, with its day. */
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

/* small: a lesser number, and the words around it. */
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

/* "8 GPUs: 4 physics, 2 free" */
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

/* What a part of a list is of, where not all of it is shown. */
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

/* ---- All of it. ---- */

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
	fprintf(f, "<script>%s</script>\n</body>\n</html>\n", script);
}

void web_page(const struct web_view *v, FILE *f)
{
	static const struct page_live live = {head, SCRIPT_HASH};
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
		web_tenants(v, f);
		web_leases(v, f);
		web_queue(v, f);
		fputs("<div id=\"Past\">", f);
		web_page_put_past(v, f);
		fputs("</div>\n", f);
	}
	web_page_put_foot(f);
}
