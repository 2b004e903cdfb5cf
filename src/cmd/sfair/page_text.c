/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/page.h"
#include "src/common/encode.h"

#define NAME_CHARS 32
#define NAME_BYTES 256 /* most bytes of a name that are looked at */

void page_name(FILE *file, const char *name, size_t most)
{
	char text[NAME_BYTES];
	size_t size = 0, columns = 0;

	while (name[size] && columns < most && size + 4 < sizeof(text)) {
		size_t step = astra_utf8_size(name + size);

		size += step ? step : 1;
		columns += step > 2 ? 2 : 1;
	}
	memcpy(text, name, size);
	text[size] = '\0';
	html_text(file, text);
	if (name[size])
		fputs("…", file);
}

void page_tenant_name(const struct page_data *d, const struct page_tenant *t,
		      size_t most, FILE *file)
{
	if (!t) {
		fputs("-", file);
		return;
	}
	if (d->pool_count > 1) {
		page_name(file, t->pool, most);
		fputs("/", file);
	}
	page_name(file, t->name, most);
}

const struct page_tenant *page_look_tenant(const struct page_data *d,
					   size_t look)
{
	return look < PAGE_OTHERS && look < d->tenant_count ? d->tenants[look]
							    : NULL;
}

void page_look_name(const struct page_data *d, size_t look, FILE *file)
{
	const struct page_tenant *t = page_look_tenant(d, look);

	if (t)
		page_tenant_name(d, t, NAME_CHARS, file);
	else
		fprintf(file, "the other %zu", d->tenant_count - PAGE_OTHERS);
}

void page_fixed(FILE *file, double value, int digits)
{
	if (isnan(value))
		fputs("-", file);
	else if (isinf(value) || fabs(value) >= 1e15)
		fputs("∞", file);
	else
		fprintf(file, "%.*f", digits, value);
}

void page_gpu_hours(FILE *file, double gpu_sec)
{
	page_fixed(file, gpu_sec / 3600, fabs(gpu_sec) < 36000 ? 2 : 1);
}

void page_percent(FILE *file, double share)
{
	page_fixed(file, 100 * share, 1);
	if (!isnan(share))
		fputs(" %", file);
}

void page_span(FILE *file, double sec)
{
	long all, days;

	if (!(sec >= 0 && sec < 1e11)) {
		fputs("-", file);
		return;
	}
	all = lround(sec);
	days = all / 86400;
	if (days)
		fprintf(file, "%ld-", days);
	fprintf(file, days ? "%02ld:%02ld:%02ld" : "%ld:%02ld:%02ld",
		all / 3600 % 24, all / 60 % 60, all % 60);
}

void page_time(FILE *file, double sec)
{
	time_t when = sec > 0 && sec < 1e11 ? (time_t)sec : 0;
	char text[32];
	struct tm tm;

	if (!when || !localtime_r(&when, &tm)) {
		fputs("-", file);
		return;
	}
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm);
	fputs(text, file);
}

/* Draws a sample of a look: a patch of the area's pattern, or a piece of the
 * dashed line. */
static void put_patch(FILE *file, const char *kind, size_t look)
{
	bool line = !strcmp(kind, "curve");

	fputs("<svg viewBox=\"0 0 26 12\" width=\"26\" height=\"12\" "
	      "aria-hidden=\"true\">",
	      file);
	fputs(line ? "<path" : "<rect", file);
	html_series(file, kind, look);
	fputs(line ? " d=\"M0 6H26\"/></svg>"
		   : " width=\"26\" height=\"12\"/></svg>",
	      file);
}

void page_keys(const struct page_data *d, const char *kind, FILE *file)
{
	bool lines = !strcmp(kind, "curve");

	fputs("<p class=\"keys\">", file);
	for (size_t i = 0; i < page_looks(d); i++) {
		if (lines && !page_look_tenant(d, i))
			break; /* the other tenants have no curve */
		fputs("<button type=\"button\" aria-pressed=\"false\"", file);
		html_series(file, "key", i);
		fputs(">", file);
		put_patch(file, kind, i);
		fputs("<span>", file);
		page_look_name(d, i, file);
		fputs("</span></button>\n", file);
	}
	fputs("</p>\n", file);
}

void page_details_begin(FILE *file, const char *title)
{
	fprintf(file,
		"<details><summary>%s, as a table</summary>\n"
		"<div class=\"wide\"><table>\n",
		title);
}

void page_details_end(FILE *file)
{
	fputs("</tbody></table></div></details>\n", file);
}

/* Ticks of local time at usual places: full hours, midnights, first days of
 * months. */

#define MARK_PX 70 /* distance of two ticks, at least about */

enum style { CLOCK_SECONDS, CLOCK, WEEKDAY, DAY, MONTH, YEAR };

/* A step between ticks; exactly one of the units is not 0. */
struct step {
	int sec, days, months;
	enum style style;
};

static const struct step steps[] = {
	{1, 0, 0, CLOCK_SECONDS},
	{5, 0, 0, CLOCK_SECONDS},
	{15, 0, 0, CLOCK_SECONDS},
	{30, 0, 0, CLOCK_SECONDS},
	{60, 0, 0, CLOCK},
	{120, 0, 0, CLOCK},
	{300, 0, 0, CLOCK},
	{600, 0, 0, CLOCK},
	{900, 0, 0, CLOCK},
	{1800, 0, 0, CLOCK},
	{3600, 0, 0, CLOCK},
	{7200, 0, 0, CLOCK},
	{10800, 0, 0, CLOCK},
	{21600, 0, 0, CLOCK},
	{43200, 0, 0, CLOCK},
	{0, 1, 0, WEEKDAY},
	{0, 2, 0, DAY},
	{0, 7, 0, DAY},
	{0, 14, 0, DAY},
	{0, 0, 1, MONTH},
	{0, 0, 2, MONTH},
	{0, 0, 3, MONTH},
	{0, 0, 6, MONTH},
	{0, 0, 12, YEAR},
	{0, 0, 24, YEAR},
	{0, 0, 60, YEAR},
	{0, 0, 240, YEAR},
};

static double length(const struct step *s)
{
	return s->sec + 86400.0 * s->days + 30.4 * 86400 * s->months;
}

static const struct step *page_axis_choose(double span, double marks)
{
	const size_t last = sizeof(steps) / sizeof(*steps) - 1;

	for (size_t i = 0; i < last; i++)
		if (span <= marks * length(&steps[i]))
			return &steps[i];
	return &steps[last];
}

/* Returns a time rounded down to midnight. For steps of months or years, it is
 * rounded down to the first of the month or of the year. */
static struct tm round_down(double sec, const struct step *s)
{
	time_t when = (time_t)sec;
	struct tm tm = {0};

	localtime_r(&when, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	if (s->months)
		tm.tm_mday = 1;
	if (s->months >= 12)
		tm.tm_mon = 0;
	else if (s->months)
		tm.tm_mon -= tm.tm_mon % s->months;
	tm.tm_isdst = -1;
	return tm;
}

static void page_axis_put_text(char *text, size_t size, const struct tm *tm,
			       enum style style)
{
	switch (style) {
	case CLOCK_SECONDS:
		strftime(text, size, "%H:%M:%S", tm);
		return;
	case CLOCK:
		strftime(text, size, "%H:%M", tm);
		return;
	case WEEKDAY:
		strftime(text, size, "%a %d %b", tm);
		return;
	case DAY:
		strftime(text, size, "%d %b", tm);
		return;
	case MONTH:
		strftime(text, size, "%b %Y", tm);
		return;
	default:
		strftime(text, size, "%Y", tm);
	}
}

/* Adds a tick. Among hours, a midnight shows its day. */
static void put_mark(struct page_axis *axis, size_t *count, time_t when,
		     const struct step *s)
{
	char *text = axis->texts[*count];
	bool midnight;
	struct tm tm;

	localtime_r(&when, &tm);
	midnight = s->sec && !tm.tm_hour && !tm.tm_min && !tm.tm_sec;
	page_axis_put_text(text, sizeof(*axis->texts), &tm,
			   midnight ? WEEKDAY : s->style);
	axis->list[*count] = text;
	axis->ticks[(*count)++] = (double)when;
}

size_t page_array_of(const char *id_text)
{
	size_t length = strspn(id_text, "0123456789");

	return id_text[length] == '_' ? length : 0;
}

struct html_axis page_time_axis(const struct page_data *d,
				struct page_axis *axis, double begin_px,
				double end_px)
{
	const struct step *s = page_axis_choose(d->end_sec - d->known_sec,
						(end_px - begin_px) / MARK_PX);
	struct tm tm = round_down(d->known_sec, s);
	size_t count = 0;
	double at = 0;

	/* begin at a midnight, at most a day before the window */
	for (int i = 0; i < 2 * 86400 && count < HTML_TICKS_MAX; i++) {
		time_t when = mktime(&tm);

		at = (double)when;
		if (when == (time_t)-1 || at > d->end_sec)
			break;
		if (at >= d->known_sec)
			put_mark(axis, &count, when, s);
		tm.tm_sec += s->sec;
		tm.tm_mday += s->days;
		tm.tm_mon += s->months;
		if (!s->sec)
			tm.tm_isdst = -1;
	}
	return (struct html_axis){
		.scale = {d->known_sec, d->end_sec, begin_px, end_px, false},
		.ticks = axis->ticks,
		.tick_count = count,
		.texts = axis->list,
		.title = "",
	};
}
