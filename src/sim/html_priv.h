/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files that write a page. */
#ifndef ASTRA_HTML_PRIV_H
#define ASTRA_HTML_PRIV_H

#include "src/html/html.h"
#include "src/sim/html.h"

void html_curves(const struct astra_comparison *c, FILE *file);
void html_boxes(const struct astra_comparison *c, FILE *file);
void html_bars(const struct astra_comparison *c, FILE *file);
int html_timelines(const struct astra_comparison *c, FILE *file);
void html_sweep(const struct astra_page *page, FILE *file);

#endif
