# SPDX-License-Identifier: GPL-2.0-or-later
# OASiS: primal-dual admission of elastic jobs.
libastra_policy_a_SOURCES += \
	src/policy/oasis/amounts.c \
	src/policy/oasis/amounts.h \
	src/policy/oasis/book.c \
	src/policy/oasis/book.h \
	src/policy/oasis/book_state.c \
	src/policy/oasis/bound.c \
	src/policy/oasis/fill.c \
	src/policy/oasis/history.c \
	src/policy/oasis/lend.c \
	src/policy/oasis/market.c \
	src/policy/oasis/oasis.h \
	src/policy/oasis/oasis_priv.h \
	src/policy/oasis/offer.c \
	src/policy/oasis/policy.c \
	src/policy/oasis/policy.h \
	src/policy/oasis/recent.c \
	src/policy/oasis/recent.h \
	src/policy/oasis/runs.c \
	src/policy/oasis/slot.c \
	src/policy/oasis/slot_priv.h \
	src/policy/oasis/table.c
libastra_decide_a_SOURCES += \
	src/decide/decide_oasis.h \
	src/decide/oasis_parse.c \
	src/decide/oasis_print.c \
	src/decide/oasis_run.c

check_PROGRAMS += test_oasis
test_oasis_SOURCES = testsuite/unit/test_oasis.c \
	testsuite/unit/oasis_plain.c \
	testsuite/unit/oasis_plain.h \
	testsuite/unit/unit.h
test_oasis_CFLAGS = $(UNIT_CFLAGS)
test_oasis_LDADD = $(UNIT_LIBS)

EXTRA_PROGRAMS += bench_oasis
BENCH += bench_oasis
CLEANFILES += bench_oasis
bench_oasis_SOURCES = testsuite/bench/bench_oasis.c \
	testsuite/unit/oasis_plain.c \
	testsuite/unit/oasis_plain.h \
	testsuite/bench/bench.h
bench_oasis_LDADD = libastra-policy.a libastra-common.a

EXTRA_PROGRAMS += bench_oasis_book
BENCH += bench_oasis_book
CLEANFILES += bench_oasis_book
bench_oasis_book_SOURCES = testsuite/bench/bench_oasis_book.c \
	testsuite/bench/bench.h testsuite/bench/bench_world.h
bench_oasis_book_LDADD = $(SIM_LIBS) libastra-policy.a \
	libastra-common.a

# Beside the offline optimum, where GLPK is there.
check_PROGRAMS += test_oasis_offline
test_oasis_offline_SOURCES = testsuite/unit/test_oasis_offline.c \
	testsuite/unit/oasis_plain.c \
	testsuite/unit/oasis_plain.h \
	testsuite/unit/unit.h
test_oasis_offline_CFLAGS = $(UNIT_CFLAGS) $(GLPK_CFLAGS)
test_oasis_offline_LDADD = $(UNIT_LIBS) $(GLPK_LIBS)

EXTRA_DIST += testsuite/golden/oasis

check_PROGRAMS += test_oasis_policy
test_oasis_policy_SOURCES = testsuite/unit/test_oasis_policy.c \
	testsuite/unit/oasis_pool.h \
	testsuite/unit/unit.h
test_oasis_policy_CFLAGS = $(UNIT_CFLAGS)
test_oasis_policy_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_oasis_admission
test_oasis_admission_SOURCES = testsuite/unit/test_oasis_admission.c \
	testsuite/unit/oasis_pool.h \
	testsuite/unit/unit.h
test_oasis_admission_CFLAGS = $(UNIT_CFLAGS)
test_oasis_admission_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_oasis_state
test_oasis_state_SOURCES = testsuite/unit/test_oasis_state.c \
	testsuite/unit/oasis_pool.h \
	testsuite/unit/unit.h
test_oasis_state_CFLAGS = $(UNIT_CFLAGS)
test_oasis_state_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_oasis_recent
test_oasis_recent_SOURCES = testsuite/unit/test_oasis_recent.c \
	testsuite/unit/unit.h
test_oasis_recent_CFLAGS = $(UNIT_CFLAGS)
test_oasis_recent_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_oasis_beside
test_oasis_beside_SOURCES = testsuite/unit/test_oasis_beside.c \
	testsuite/unit/oasis_pool.h \
	testsuite/unit/unit.h
test_oasis_beside_CFLAGS = $(UNIT_CFLAGS)
test_oasis_beside_LDADD = $(UNIT_LIBS)
