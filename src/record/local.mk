# SPDX-License-Identifier: GPL-2.0-or-later
# A round of the live cluster as JSON; pure.
noinst_LIBRARIES += libastra-record.a
libastra_record_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_record_a_SOURCES = \
	src/record/read.c \
	src/record/round.h \
	src/record/write.c

check_PROGRAMS += test_round_record
test_round_record_SOURCES = testsuite/unit/test_round_record.c \
	testsuite/unit/unit.h
test_round_record_CFLAGS = $(UNIT_CFLAGS) $(JANSSON_CFLAGS)
test_round_record_LDADD = libastra-record.a $(UNIT_LIBS)
