# SPDX-License-Identifier: GPL-2.0-or-later
# HTML pages of sfairsim and of sfair.
noinst_LIBRARIES += libastra-html.a
libastra_html_a_SOURCES = \
	src/html/html.h \
	src/html/html.c

# Style sheets, scripts and drawings that are built into programs.
EMBEDDED = \
	src/cmd/sfair/page.css \
	src/cmd/sfair/page.js \
	src/cmd/sfair/page.svg \
	src/cmd/sfair/page_print.css \
	src/cmd/sfair/web.css \
	src/cmd/sfair/web.js \
	src/html/common.css \
	src/html/print.css \
	src/sim/compare.css \
	src/sim/compare.js \
	src/sim/compare_print.css
EMBEDDED_IN_C = $(EMBEDDED:=.h)
EXTRA_DIST += $(EMBEDDED) build-aux/embed
BUILT_SOURCES += $(EMBEDDED_IN_C)
CLEANFILES += $(EMBEDDED_IN_C)
$(libastra_html_a_OBJECTS) $(libastra_page_a_OBJECTS) $(libastra_sim_a_OBJECTS) \
$(sfair_OBJECTS): | $(EMBEDDED_IN_C)
$(EMBEDDED_IN_C): %.h: % build-aux/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && '$(srcdir)/build-aux/embed' '$<' >$@.new && \
		mv $@.new $@
