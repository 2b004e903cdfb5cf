/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/page.h"
#include "src/common/encode.h"

#define NAME_CHARS 32
#define NAME_BYTES 256 /* no longer than what is cut from */

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

/* A patch of the area's pattern, or a piece of the dashed line. */
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
			break; /* the others together have none */
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
