/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/html_priv.h"

/* After eight colours, dashes tell series apart. */
static const char style[] =
	".charts{display:grid;grid-template-columns:repeat(auto-fit,"
	"minmax(min(100%,480px),1fr));gap:1rem;align-items:start}\n"
	".column figure{max-width:800px}\n"
	".bar,.dot,.point{fill:var(--c)}.dot{opacity:.75}.cut{fill:var(--box)}\n"
	".d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 2}"
	".box.d1,.box.d2{stroke-dasharray:none}\n"
	".a0{--c:var(--c0)}.a1{--c:var(--c1)}.a2{--c:var(--c2)}"
	".a3{--c:var(--c3)}.a4{--c:var(--c4)}.a5{--c:var(--c5)}"
	".a6{--c:var(--c6)}[class*=rest]{--c:var(--c7)}.area{fill:var(--c);"
	"fill-opacity:.8}\n"
	".key[aria-pressed=false]{opacity:.4}\n"
	".tenant i{display:inline-block;width:12px;height:12px;"
	"border-radius:2px;background:var(--c);margin-right:.35rem}\n"
	"[data-s].off:not(.key){display:none}\n"
	"thead th{cursor:help;min-width:4.5em}"
	".best{font-weight:700}.chosen>*{background:var(--box)}\n";

static const char print[] =
	".charts{grid-template-columns:1fr 1fr}"
	"table{font-size:6pt}th,td{padding:1px 2px;min-width:0}"
	"thead th{min-width:0}";

/* Point at a policy to see it alone, click to take it away. */
static const char script[] =
	"for(const key of document.querySelectorAll('.key')){\n"
	"const all=()=>document.querySelectorAll('main [data-s]:not(.key)');\n"
	"const mine=e=>e.dataset.s===key.dataset.s||e.closest('.key');\n"
	"key.addEventListener('click',()=>{\n"
	"const on=key.getAttribute('aria-pressed')==='false';\n"
	"key.setAttribute('aria-pressed',on);\n"
	"for(const e of all())if(e.dataset.s===key.dataset.s&&"
	"!e.closest('.key'))e.classList.toggle('off',!on)});\n"
	"key.addEventListener('mouseenter',()=>{"
	"for(const e of all())e.classList.toggle('dim',!mine(e))});\n"
	"key.addEventListener('mouseleave',()=>{"
	"for(const e of all())e.classList.remove('dim')})}\n";

void html_begin(const char *title, FILE *file)
{
	const struct html_head head = {
		.title = title,
		.scripts = "'unsafe-inline'",
		.style = style,
		.print = print,
	};

	html_head(file, &head);
}

void html_script(FILE *file)
{
	fprintf(file, "<script>\n%s</script>\n", script);
}
