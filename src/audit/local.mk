# SPDX-License-Identifier: GPL-2.0-or-later
# Measures how fair a record of jobs was; pure.
noinst_LIBRARIES += libastra-audit.a
libastra_audit_a_SOURCES = \
	src/audit/audit.c \
	src/audit/audit.h \
	src/audit/forward.c \
	src/audit/forward.h \
	src/audit/record.c \
	src/audit/record.h \
	src/audit/replay.c \
	src/audit/replay.h \
	src/audit/durations.c \
	src/audit/durations.h

check_PROGRAMS += test_audit
test_audit_SOURCES = testsuite/unit/test_audit.c \
	testsuite/unit/trace_file.h testsuite/unit/unit.h
test_audit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_audit_LDADD = libastra-audit.a $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_replay
test_replay_SOURCES = testsuite/unit/test_replay.c testsuite/unit/unit.h
test_replay_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_replay_LDADD = libastra-audit.a $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_forward
test_forward_SOURCES = testsuite/unit/test_forward.c \
	testsuite/unit/trace_file.h testsuite/unit/unit.h
test_forward_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_forward_LDADD = libastra-audit.a libastra-record.a $(SIM_LIBS) \
	$(UNIT_LIBS)
