/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/page.h"

#include <math.h>
#include <time.h>

#include "src/cmd/sfair/page.css.h"
#include "src/cmd/sfair/page.js.h"
#include "src/cmd/sfair/page.svg.h"
#include "src/cmd/sfair/page_print.css.h"
#include "src/sim/sample.h"

void page_head(const char *title, const struct page_live *live, FILE *file)
{
	char scripts[256];
	const struct html_head head = {
		.title = title,
		.scripts = scripts,
		.style = page_css,
		.print = page_print_css,
		.live = live ? live->style : NULL,
	};

	snprintf(scripts, sizeof(scripts), PAGE_JS_HASH " %s",
		 live ? live->scripts : "");
	html_head(file, &head);
	fputs(page_svg, file);
}

void page_script(FILE *file)
{
	fprintf(file, "<script>%s</script>\n", page_js);
}

/* Writes a day; adds the time of day if with_clock. */
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

bool page_at_midnight(double sec)
{
	time_t when = (time_t)sec;
	struct tm tm = {0};

	localtime_r(&when, &tm);
	return !tm.tm_hour && !tm.tm_min && !tm.tm_sec;
}

/* Writes a window as text. A window of whole days has no times of day. */
static void put_days(double start_sec, double end_sec, FILE *f)
{
	bool days = page_at_midnight(start_sec) && page_at_midnight(end_sec);

	put_day(f, start_sec, !days);
	if (!days || end_sec - start_sec > 90000) {
		fputs(" to ", f);
		put_day(f, days ? end_sec - 3600 : end_sec, !days);
	}
}

/* Writes the time before the window. Adds how much of it the history has,
 * unless that is all. */
static void put_before_window(const struct page_before *b, FILE *f)
{
	put_days(b->start_sec, b->end_sec, f);
	if (b->known_sec < 0.99 * (b->end_sec - b->start_sec)) {
		fputs(", of which the history has ", f);
		page_span(f, b->known_sec);
	}
	fputs(".", f);
}

static void put_window(const struct page_data *d, FILE *f)
{
	time_t when = (time_t)d->start_sec;
	char zone[64];
	struct tm tm = {0};

	localtime_r(&when, &tm);
	strftime(zone, sizeof(zone), "%Z", &tm);
	fputs("<p class=\"soft\">", f);
	put_days(d->start_sec, d->end_sec, f);
	fprintf(f, ". Times are local (%s).", zone);
	if (d->before.end_sec > 0) {
		fputs(" &ldquo;Before&rdquo; is ", f);
		put_before_window(&d->before, f);
	}
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

/* Writes the share in the time before the window, if it is known. */
static void put_before(const struct page_data *d, double part, double of,
		       FILE *f)
{
	if (!(d->before.end_sec > 0) || !(of > 0))
		return;
	fputs("; before ", f);
	page_percent(f, part / of);
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
	put_before(d, d->before.used_sec, d->before.total_sec, f);
	end_tile(f);
	begin_tile(f, "Idle though wanted");
	page_percent(f, d->wanted_sec / d->total_sec);
	fputs("<small>", f);
	page_gpu_hours(f, d->wanted_sec);
	fputs(" GPU hours", f);
	put_before(d, d->before.wanted_sec, d->before.total_sec, f);
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
	fputs("<small>of what was due", f);
	put_before(d, d->before.lack_sec, d->before.fair_sec, f);
	end_tile(f);
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
