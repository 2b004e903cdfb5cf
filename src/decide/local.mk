# SPDX-License-Identifier: GPL-2.0-or-later
# One decision of one policy, from JSON to JSON; pure.
noinst_LIBRARIES += libastra-decide.a
libastra_decide_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_decide_a_SOURCES = \
	src/decide/decide.c \
	src/decide/decide.h \
	src/decide/decide_ltgf.h \
	src/decide/ids.c \
	src/decide/ids.h \
	src/decide/instance.c \
	src/decide/instance.h \
	src/decide/ltgf_measure.c \
	src/decide/ltgf_parse.c \
	src/decide/ltgf_print.c \
	src/decide/ltgf_run.c
