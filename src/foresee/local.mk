# SPDX-License-Identifier: GPL-2.0-or-later
# Forecasts the starts of waiting jobs with a copy of the engine; pure.
noinst_LIBRARIES += libastra-foresee.a
libastra_foresee_a_SOURCES = \
	src/foresee/foresee.c \
	src/foresee/foresee.h \
	src/foresee/runtimes.c \
	src/foresee/runtimes.h \
	src/foresee/runtimes_priv.h

check_PROGRAMS += test_foresee
test_foresee_SOURCES = testsuite/unit/test_foresee.c \
	testsuite/unit/unit.h
test_foresee_CFLAGS = $(UNIT_CFLAGS)
test_foresee_LDADD = libastra-foresee.a $(UNIT_LIBS)

check_PROGRAMS += test_runtimes
test_runtimes_SOURCES = testsuite/unit/test_runtimes.c \
	testsuite/unit/unit.h
test_runtimes_CFLAGS = $(UNIT_CFLAGS)
test_runtimes_LDADD = libastra-foresee.a $(UNIT_LIBS)
