# SPDX-License-Identifier: GPL-2.0-or-later
# When waiting jobs would start: the engine's copy, run ahead; pure.
noinst_LTLIBRARIES += libastra-foresee.la
libastra_foresee_la_LIBADD = -lm
libastra_foresee_la_SOURCES = \
	src/foresee/foresee.c \
	src/foresee/foresee.h \
	src/foresee/runtimes.c \
	src/foresee/runtimes.h \
	src/foresee/world.c \
	src/foresee/world.h

check_PROGRAMS += test_foresee
test_foresee_SOURCES = testsuite/unit/test_foresee.c \
	testsuite/unit/vcluster.c \
	testsuite/unit/vcluster.h \
	testsuite/unit/unit.h
test_foresee_CFLAGS = $(UNIT_CFLAGS)
test_foresee_LDADD = libastra-foresee.la $(UNIT_LIBS)
