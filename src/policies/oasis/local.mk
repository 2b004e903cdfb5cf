# SPDX-License-Identifier: GPL-2.0-or-later
# OASiS: primal-dual admission of elastic jobs.
libastra_engine_a_SOURCES += \
	src/policies/oasis/amounts.c \
	src/policies/oasis/amounts.h \
	src/policies/oasis/book.c \
	src/policies/oasis/book.h \
	src/policies/oasis/bound.c \
	src/policies/oasis/fill.c \
	src/policies/oasis/history.c \
	src/policies/oasis/market.c \
	src/policies/oasis/oasis.h \
	src/policies/oasis/oasis_priv.h \
	src/policies/oasis/offer.c \
	src/policies/oasis/policy.c \
	src/policies/oasis/policy.h \
	src/policies/oasis/recent.c \
	src/policies/oasis/recent.h \
	src/policies/oasis/runs.c \
	src/policies/oasis/slot.c \
	src/policies/oasis/table.c
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
bench_oasis_LDADD = libastra-engine.a libastra-common.a

EXTRA_PROGRAMS += bench_oasis_paper
BENCH += bench_oasis_paper
CLEANFILES += bench_oasis_paper
bench_oasis_paper_SOURCES = testsuite/bench/bench_oasis_paper.c \
	testsuite/bench/oasis_rules.h testsuite/bench/oasis_instance.h \
	testsuite/bench/bench.h
bench_oasis_paper_LDADD = libastra-engine.a libastra-common.a

EXTRA_PROGRAMS += bench_oasis_book
BENCH += bench_oasis_book
CLEANFILES += bench_oasis_book
bench_oasis_book_SOURCES = testsuite/bench/bench_oasis_book.c \
	testsuite/bench/bench.h testsuite/bench/bench_world.h
bench_oasis_book_LDADD = $(SIM_LIBS) libastra-engine.a \
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
