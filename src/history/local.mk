# SPDX-License-Identifier: GPL-2.0-or-later
# What happened, in an SQLite file: written by a thread of its own, and read by
# reports. No Slurm. --without-history builds the stubs of none.c instead.
noinst_LIBRARIES += libastra-history.a
libastra_history_a_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
if HISTORY
libastra_history_a_SOURCES = \
	src/history/history.c \
	src/history/history.h \
	src/history/jobs.c \
	src/history/names.c \
	src/history/past.c \
	src/history/past.h \
	src/history/prune.c \
	src/history/runs.c \
	src/history/read.c \
	src/history/read.h \
	src/history/read_names.c \
	src/history/read_priv.h \
	src/history/read_reports.c \
	src/history/read_rows.c \
	src/history/schema.c \
	src/history/schema.h \
	src/history/sql.c \
	src/history/sums.c \
	src/history/sums.h \
	src/history/writer.c \
	src/history/writer.h \
	src/history/writer_priv.h \
	src/history/window.c \
	src/history/window.h
else
libastra_history_a_SOURCES = src/history/history.h src/history/past.h \
	src/history/none.c
endif
EXTRA_DIST += src/history/none.c

if HISTORY
check_PROGRAMS += test_history_schema
endif
test_history_schema_SOURCES = testsuite/unit/test_history_schema.c \
	testsuite/unit/unit.h
test_history_schema_CFLAGS = $(UNIT_CFLAGS) $(SQLITE_CFLAGS)
test_history_schema_LDADD = libastra-history.a libastra-common.a \
	$(CMOCKA_LIBS)

if HISTORY
check_PROGRAMS += test_history_window
endif
test_history_window_SOURCES = testsuite/unit/test_history_window.c \
	testsuite/unit/unit.h
test_history_window_CFLAGS = $(UNIT_CFLAGS)
test_history_window_LDADD = libastra-history.a $(CMOCKA_LIBS)

if HISTORY
check_PROGRAMS += test_history_read
endif
test_history_read_SOURCES = testsuite/unit/test_history_read.c \
	testsuite/unit/history_sample.h testsuite/unit/unit.h
test_history_read_CFLAGS = $(UNIT_CFLAGS) $(JANSSON_CFLAGS) $(SQLITE_CFLAGS)
test_history_read_LDADD = libastra-history.a libastra-proto.a \
	libastra-common.a $(CMOCKA_LIBS)

if HISTORY
check_PROGRAMS += test_history
endif
test_history_SOURCES = testsuite/unit/test_history.c testsuite/unit/unit.h
test_history_CFLAGS = $(UNIT_CFLAGS) $(SQLITE_CFLAGS)
test_history_LDADD = libastra-history.a libastra-proto.a \
	libastra-engine.a libastra-common.a $(CMOCKA_LIBS)

if HISTORY
EXTRA_PROGRAMS += bench_history
BENCH += bench_history
CLEANFILES += bench_history
endif
bench_history_SOURCES = testsuite/bench/bench_history.c testsuite/bench/bench.h
bench_history_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
bench_history_LDADD = libastra-history.a libastra-proto.a \
	libastra-common.a
