/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/html/html.h"

#define LIGHT_SERIES                                                        \
	"--c0:#0067a8;--c1:#d1480b;--c2:#00815c;--c3:#a8327f;--c4:#8a6a00;" \
	"--c5:#3d9bd9;--c6:#6a3fa0;--c7:#6b6f76"

/* The colours of series keep apart for most kinds of colour blindness; after
 * eight, dashes tell them apart. */
static const char common[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#59636e;"
	"--grid:#e3e6ea;--line:#8b949e;--box:#f6f7f9;" LIGHT_SERIES "}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#0e1116;--fg:#e6e9ee;"
	"--soft:#9aa4b0;--grid:#262c35;--line:#5c6672;--box:#161b22;"
	"--c0:#58b0f0;--c1:#ff9457;--c2:#38d39f;--c3:#ee8fcb;--c4:#e6c04a;"
	"--c5:#a5d6ff;--c6:#bd9bf5;--c7:#b4bac2}}\n"
	"body{margin:0 auto;padding:1.5rem;max-width:1120px;background:"
	"var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.15rem;"
	"margin:2rem 0 .3rem}p{margin:.3rem 0}.soft,footer{color:var(--soft)}\n"
	"footer{margin-top:2rem;font-size:.85rem}code{overflow-wrap:anywhere}\n"
	"figure{margin:.5rem 0;padding:.7rem;background:var(--box);"
	"border-radius:6px;break-inside:avoid}\n"
	"figcaption{font-size:.85rem;color:var(--soft)}"
	"figcaption b{color:var(--fg)}\n"
	"svg{display:block;width:100%;height:auto}"
	"svg text{font-size:12px;fill:var(--soft)}"
	"svg text.name,svg text.best{fill:var(--fg)}"
	"svg text.best{font-weight:700}\n"
	".mid{text-anchor:middle}.end{text-anchor:end}"
	".grid{stroke:var(--grid)}.axis{stroke:var(--line)}"
	".rule{stroke:var(--fg);stroke-dasharray:2 3}\n"
	".curve{fill:none;stroke:var(--c);stroke-width:2;"
	"stroke-linejoin:round}"
	".box{stroke:var(--c);fill:var(--c);stroke-width:1.5}"
	".box rect{fill-opacity:.25}.box .median{stroke-width:3}\n"
	".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}"
	".c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}"
	".c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
	".keys{display:flex;flex-wrap:wrap;gap:.3rem .8rem;align-items:"
	"center}.key{display:flex;gap:.4rem;align-items:center;font:inherit;"
	"color:inherit;background:none;border:1px solid var(--grid);"
	"border-radius:4px;padding:.1rem .5rem;cursor:pointer}"
	".key svg{width:26px}\n"
	"[data-s].dim:not(.key){opacity:.12}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;"
	"font-size:.85rem;font-variant-numeric:tabular-nums}"
	"th,td{padding:.25rem .6rem;text-align:right;"
	"border-bottom:1px solid var(--grid)}"
	"td{white-space:nowrap}"
	"thead th{vertical-align:bottom;color:var(--soft);font-weight:600}"
	"th:first-child{text-align:left;position:sticky;left:0;"
	"background:var(--bg)}\n";

static const char print_begin[] =
	"@page{size:landscape;margin:12mm}\n"
	"@media print{:root{--bg:#fff;--fg:#000;--soft:#333;--grid:#ddd;"
	"--line:#666;--box:#fff;" LIGHT_SERIES "}"
	"*{print-color-adjust:exact}body{max-width:none;padding:0}"
	"figure{border:1px solid #ddd}.wide{overflow:visible}";

void html_head(FILE *file, const struct html_head *head)
{
	fprintf(file,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width,"
		"initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src %s; img-src data:; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>",
		head->scripts);
	html_text(file, head->title);
	fprintf(file,
		"</title>\n<style>\n%s%s%s%s}\n</style>\n"
		"</head>\n<body>\n<main>\n<h1>",
		common, head->style, print_begin, head->print);
	html_text(file, head->title);
	fputs("</h1>\n", file);
}
