/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/page.h"

#include <math.h>
#include <time.h>

#include "src/sim/sample.h"

/* Patterns beside colours, for print in black and for whoever cannot tell the
 * colours apart. */
static const char style[] =
	"body{max-width:1160px}h1{margin-bottom:0}section{margin-top:2.2rem}"
	"h2{margin:0 0 .4rem}\n"
	".tiles{display:grid;gap:.7rem;margin:1.2rem 0 0;padding:0;"
	"grid-template-columns:repeat(auto-fit,minmax(150px,1fr))}"
	".tiles div{background:var(--box);border-radius:6px;"
	"padding:.6rem .8rem}.tiles dt{color:var(--soft);font-size:.8rem}"
	".tiles dd{margin:0;font-size:1.35rem;font-weight:600;"
	"font-variant-numeric:tabular-nums}"
	".tiles dd small{display:block;font-size:.8rem;font-weight:400;"
	"color:var(--soft)}\n"
	".scroll{overflow-x:auto;direction:rtl}.scroll>*{direction:ltr}"
	".scroll svg{min-width:700px}"
	".scroll figcaption{max-width:100ch;margin-bottom:.3rem;"
	"position:sticky;left:0}\n"
	".area.c0{fill:url(#p0)}.area.c1{fill:url(#p1)}"
	".area.c2{fill:url(#p2)}.area.c3{fill:url(#p3)}"
	".area.c4{fill:url(#p4)}.area.c5{fill:url(#p5)}"
	".area.c6{fill:url(#p6)}.area.c7{fill:url(#p7)}"
	".lease rect,.solid{fill:var(--c)}"
	"svg text{paint-order:stroke;stroke:var(--box);stroke-width:3px;"
	"stroke-linejoin:round}\n"
	"#since:not(:checked)~.since,#lately:not(:checked)~.lately"
	"{display:none}label{margin:0 1rem 0 .2rem;font-size:.85rem}\n"
	".curve.c1{stroke-dasharray:8 3}.curve.c2{stroke-dasharray:2 2}"
	".curve.c3{stroke-dasharray:8 3 2 3}.curve.c4{stroke-dasharray:14 4}"
	".curve.c5{stroke-dasharray:4 2}"
	".curve.c6{stroke-dasharray:12 3 2 3 2 3}\n"
	".strip{fill:var(--fg);fill-opacity:0}.strip:hover{fill-opacity:.12}"
	".loss{fill:var(--line)}.loss:hover,.lease:hover{opacity:.7}"
	".revoked{stroke:var(--fg);fill:var(--fg);stroke-width:1.5}"
	"tspan.soft{fill:var(--soft)}\n"
	".defs path{stroke:var(--box);stroke-opacity:.5}.defs circle{fill:var(--box);fill-opacity:.6}.defs{position:absolute;width:0;height:0}"
	".keys{gap:.4rem;margin:.3rem 0 .5rem;font-size:.85rem}"
	".key span{overflow-wrap:anywhere;text-align:left}"
	".key svg{flex:none;height:12px}"
	".key[aria-pressed=true]{border-color:var(--fg);"
	"background:var(--box)}\n"
	"details{font-size:.85rem;margin:.3rem 0}summary{cursor:pointer;"
	"color:var(--soft)}details .wide{max-height:26rem;overflow:auto}"
	".none{color:var(--soft);background:var(--box);padding:1rem;"
	"border-radius:6px}\n"
	".text{text-align:left}thead th{background:var(--bg)}"
	"th button{all:unset;cursor:pointer;font-weight:600}"
	"th button:focus-visible,.key:focus-visible,summary:focus-visible"
	"{outline:2px solid var(--c0);outline-offset:2px}"
	"th[aria-sort] button{color:var(--fg)}"
	"th[aria-sort=ascending] button::after{content:' \\25B2'}"
	"th[aria-sort=descending] button::after{content:' \\25BC'}"
	"tbody tr:hover{background:var(--box)}\n"
	"@media(max-width:640px){body{padding:.8rem}}\n";

static const char print[] =
	".key{border:0}input{appearance:none}"
	"input:not(:checked)+label{display:none}.scroll{overflow:visible}.scroll svg{min-width:0;"
	"max-height:135mm}h2{break-after:avoid}section{margin-top:1rem}"
	"section:has(figure){break-inside:avoid}"
	"details{display:none}table{font-size:7.5pt;width:100%}"
	"thead{display:table-header-group}tr{break-inside:avoid}"
	"th,td{padding:1px 3px}td,th{white-space:normal;"
	"overflow-wrap:anywhere}.tiles div{border:1px solid #ddd}"
	".tiles{grid-template-columns:repeat(7,1fr)}";

/* A click on a heading sorts, upward for texts and downward for numbers first;
 * what is not known stays at the end. Point at a tenant, or click on it, to see
 * it alone. All of it holds for what comes into the page later, too. */
static const char script[] =
	"const sorted=h=>{\n"
	"const t=h.closest('table'),n=h.cellIndex;\n"
	"const text=h.classList.contains('text')||!n;\n"
	"const was=h.getAttribute('aria-sort');\n"
	"const up=was?was!=='ascending':text;\n"
	"for(const o of t.tHead.querySelectorAll('th'))"
	"o.removeAttribute('aria-sort');\n"
	"h.setAttribute('aria-sort',up?'ascending':'descending');\n"
	"const value=r=>{const c=r.cells[n],v=c.dataset.v??c.textContent"
	".trim();\n"
	"return v===''||v==='-'?null:text?v:v==='∞'?Infinity:parseFloat(v)};\n"
	"const rows=[...t.tBodies[0].rows].map(r=>[value(r),r]);\n"
	"rows.sort(([a],[b])=>a===null||b===null?(a===null)-(b===null):\n"
	"(text?a.localeCompare(b,'en',{numeric:true}):a<b?-1:a>b?1:0)"
	"*(up?1:-1));\n"
	"t.tBodies[0].append(...rows.map(r=>r[1]))};\n"
	"let pinned=null;\n"
	"const show=s=>{for(const m of document.querySelectorAll("
	"'figure [data-s]'))"
	"m.classList.toggle('dim',s!==null&&m.dataset.s!==s)};\n"
	"const pin=s=>{pinned=s;\n"
	"for(const o of document.querySelectorAll('.key'))"
	"o.setAttribute('aria-pressed',o.dataset.s===pinned);\n"
	"show(pinned)};\n"
	"addEventListener('click',e=>{\n"
	"const h=e.target.closest('table.sort thead th'),"
	"k=e.target.closest('.key');\n"
	"if(h)sorted(h);\n"
	"if(k)pin(pinned===k.dataset.s?null:k.dataset.s)});\n"
	"const point=e=>{const k=e.target.closest?.('.key');\n"
	"if(k)show(e.type==='mouseover'?k.dataset.s:pinned)};\n"
	"addEventListener('mouseover',point);\n"
	"addEventListener('mouseout',point);\n";

/* Of the script, so that no other one runs; page.sh checks it. */
#define SCRIPT_HASH "'sha256-tIz83SfEYkSTZLIr5cfRGpumoMoMuVxEahi88dG2F+0='"

static const char patterns[] =
	"<svg class=\"defs\" aria-hidden=\"true\"><defs>"
	"<pattern id=\"p0\" width=\"8\" height=\"8\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<rect width=\"8\" height=\"8\" fill=\"var(--c0)\"/>"
	"</pattern>\n"
	"<pattern id=\"p1\" width=\"8\" height=\"8\" "
	"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	"<rect width=\"8\" height=\"8\" fill=\"var(--c1)\"/>"
	"<path d=\"M0 0V8\"/>"
	"</pattern>\n"
	"<pattern id=\"p2\" width=\"7\" height=\"7\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<rect width=\"7\" height=\"7\" fill=\"var(--c2)\"/>"
	"<circle cx=\"3.5\" cy=\"3.5\" r=\"1\"/>"
	"</pattern>\n"
	"<pattern id=\"p3\" width=\"8\" height=\"8\" "
	"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\">"
	"<rect width=\"8\" height=\"8\" fill=\"var(--c3)\"/>"
	"<path d=\"M0 0V8\"/>"
	"</pattern>\n"
	"<pattern id=\"p4\" width=\"6\" height=\"6\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<rect width=\"6\" height=\"6\" fill=\"var(--c4)\"/>"
	"<path d=\"M0 0H6\"/>"
	"</pattern>\n"
	"<pattern id=\"p5\" width=\"6\" height=\"6\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<rect width=\"6\" height=\"6\" fill=\"var(--c5)\"/>"
	"<path d=\"M0 0V6\"/>"
	"</pattern>\n"
	"<pattern id=\"p6\" width=\"9\" height=\"9\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<rect width=\"9\" height=\"9\" fill=\"var(--c6)\"/>"
	"<path d=\"M0 0L9 9M9 0L0 9\"/>"
	"</pattern>\n"
	"<pattern id=\"p7\" width=\"8\" height=\"8\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<rect width=\"8\" height=\"8\" fill=\"var(--c7)\"/>"
	"</pattern>\n"
	"</defs></svg>\n";

void page_head(const char *title, const struct page_live *live, FILE *file)
{
	char scripts[256];
	const struct html_head head = {
		.title = title,
		.scripts = scripts,
		.style = style,
		.print = print,
		.head = live ? live->head : NULL,
		.live = live != NULL,
	};

	snprintf(scripts, sizeof(scripts), SCRIPT_HASH " %s",
		 live ? live->scripts : "");
	html_head(file, &head);
	fputs(patterns, file);
}

void page_script(FILE *file)
{
	fprintf(file, "<script>%s</script>\n", script);
}

/* The window as text; whole days without the time. */
static void put_day(FILE *f, double sec, bool with_clock)
{
	time_t when = (time_t)sec;
	char text[64];
	struct tm tm = {0};

	localtime_r(&when, &tm);
	strftime(text, sizeof(text),
		 with_clock ? "%a %d %b %Y, %H:%M" : "%a %d %b %Y", &tm);
	fputs(text, f);
}

static bool at_midnight(double sec)
{
	time_t when = (time_t)sec;
	struct tm tm = {0};

	localtime_r(&when, &tm);
	return !tm.tm_hour && !tm.tm_min && !tm.tm_sec;
}

static void put_window(const struct page_data *d, FILE *f)
{
	bool days = at_midnight(d->start_sec) && at_midnight(d->end_sec);
	time_t when = (time_t)d->start_sec;
	char zone[64];
	struct tm tm = {0};

	localtime_r(&when, &tm);
	strftime(zone, sizeof(zone), "%Z", &tm);
	fputs("<p class=\"soft\">", f);
	put_day(f, d->start_sec, !days);
	if (!days || d->end_sec - d->start_sec > 90000) {
		fputs(" to ", f);
		put_day(f, days ? d->end_sec - 3600 : d->end_sec, !days);
	}
	fprintf(f, ". Times are local (%s).", zone);
	if (d->known_sec > d->start_sec) {
		fputs(" The plugin's history begins at ", f);
		page_time(f, d->known_sec);
		fputs(".", f);
	}
	fputs("</p>\n", f);
}

static void begin_tile(FILE *f, const char *name)
{
	fprintf(f, "<div><dt>%s</dt><dd>", name);
}

static void end_tile(FILE *f)
{
	fputs("</small></dd></div>\n", f);
}

static void put_usage(const struct page_data *d, FILE *f)
{
	begin_tile(f, "GPUs");
	page_fixed(f, d->gpus, fabs(d->gpus - round(d->gpus)) < 0.05 ? 0 : 1);
	fputs("<small>down ", f);
	page_percent(f, d->down_sec / d->total_sec);
	end_tile(f);
	begin_tile(f, "In use");
	page_percent(f, d->used_sec / d->total_sec);
	fputs("<small>", f);
	page_gpu_hours(f, d->used_sec);
	fputs(" GPU hours", f);
	end_tile(f);
	begin_tile(f, "Idle though wanted");
	page_percent(f, d->wanted_sec / d->total_sec);
	fputs("<small>", f);
	page_gpu_hours(f, d->wanted_sec);
	fputs(" GPU hours", f);
	end_tile(f);
}

static void put_fairness(const struct page_data *d, FILE *f)
{
	const struct page_tenant *worst = NULL;
	double due = 0, lack = 0;

	for (size_t i = 0; i < d->slot_count; i++) {
		due += d->slots[i].fair_sec;
		lack += d->slots[i].lack_sec;
	}
	for (size_t i = 0; i < d->tenant_count; i++)
		if (d->tenants[i]->row.fair_gpu_sec > 0 &&
		    (!worst || d->tenants[i]->row.rho < worst->row.rho))
			worst = d->tenants[i];
	begin_tile(f, "Fairness loss");
	page_percent(f, due > 0 ? lack / due : (double)NAN);
	fputs("<small>of what was due</small></dd></div>\n", f);
	begin_tile(f, "Lowest rho");
	page_fixed(f, worst ? worst->row.rho : (double)NAN, 3);
	fputs("<small>", f);
	page_tenant_name(d, worst, 20, f);
	end_tile(f);
}

static int page_put_jobs(const struct page_data *d, FILE *f)
{
	struct astra_sample waits = {0};
	size_t revoked = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < d->job_count; i++)
		if (d->jobs[i].wait_sec >= 0)
			rc = astra_sample_add(&waits, d->jobs[i].wait_sec);
	for (size_t i = 0; i < d->job_count; i++)
		revoked += d->jobs[i].revoked > 0;
	astra_sample_sort(&waits);
	begin_tile(f, "Jobs");
	fprintf(f, "%zu%s<small>median wait ", d->job_count,
		d->heads[PAGE_SLOWDOWN].more || d->heads[PAGE_FAIRNESS].more
			? "+"
			: "");
	page_span(f, astra_sample_quantile(&waits, 0.5));
	end_tile(f);
	begin_tile(f, "Leases");
	fprintf(f, "%zu%s<small>%zu job%s had one revoked", d->lease_count,
		d->heads[PAGE_LEASES].more ? "+" : "", revoked,
		revoked == 1 ? "" : "s");
	end_tile(f);
	astra_sample_clear(&waits);
	return rc;
}

static int put_tiles(const struct page_data *d, FILE *f)
{
	int rc;

	fputs("<dl class=\"tiles\">\n", f);
	put_usage(d, f);
	put_fairness(d, f);
	rc = page_put_jobs(d, f);
	fputs("</dl>\n", f);
	return rc;
}

static void page_put_foot(const struct page_data *d, const char *command,
			  FILE *f)
{
	fputs("</main>\n<footer><p>Made by <code>", f);
	html_text(f, command);
	fputs("</code>, from what the plugin knew at ", f);
	page_time(f, d->now_sec);
	fputs(". Click on a heading of a table to sort it, on a tenant's name "
	      "to see it alone.</p></footer>\n",
	      f);
	page_script(f);
	fputs("</body>\n</html>\n", f);
}

int page_write(const struct page_data *d, const char *command, FILE *file)
{
	char title[160];
	int rc;

	snprintf(title, sizeof(title), "GPU report of %s",
		 *d->cluster ? d->cluster : "the cluster");
	page_head(title, NULL, file);
	put_window(d, file);
	rc = put_tiles(d, file);
	if (d->tenant_count) {
		page_usage(d, file);
		page_fairness(d, file);
	} else {
		fputs("<section><p class=\"none\">No tenant is known of in "
		      "this window.</p></section>\n",
		      file);
	}
	if (!rc)
		rc = page_waits(d, file);
	if (!rc)
		rc = page_gantt(d, file);
	if (!rc)
		rc = page_tables(d, file);
	page_put_foot(d, command, file);
	return rc;
}
