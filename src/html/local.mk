# SPDX-License-Identifier: GPL-2.0-or-later
# Pages with pictures, of sfairsim and of sfair.
noinst_LIBRARIES += libastra-html.a
libastra_html_a_SOURCES = \
	src/html/html.h \
	src/html/html.c
