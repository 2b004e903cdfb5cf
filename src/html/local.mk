# SPDX-License-Identifier: GPL-2.0-or-later
# Pages with pictures, of sfairsim and of sfair.
noinst_LTLIBRARIES += libastra-html.la
libastra_html_la_SOURCES = \
	src/html/chart.c \
	src/html/html.h \
	src/html/scale.c \
	src/html/style.c \
	src/html/text.c
