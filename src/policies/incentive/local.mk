# SPDX-License-Identifier: GPL-2.0-or-later
# Incentive: own shares first, then what is unused at posted prices.
libastra_engine_a_SOURCES += \
	src/policies/incentive/batch.c \
	src/policies/incentive/batch.h \
	src/policies/incentive/board.c \
	src/policies/incentive/board.h \
	src/policies/incentive/calendar.c \
	src/policies/incentive/calendar.h \
	src/policies/incentive/carry.c \
	src/policies/incentive/incentive.c \
	src/policies/incentive/incentive.h \
	src/policies/incentive/market.c \
	src/policies/incentive/market.h \
	src/policies/incentive/market_offer.c \
	src/policies/incentive/market_priv.h \
	src/policies/incentive/market_search.c \
	src/policies/incentive/minima.c \
	src/policies/incentive/minima.h \
	src/policies/incentive/policy.c \
	src/policies/incentive/policy.h \
	src/policies/incentive/policy_priv.h \
	src/policies/incentive/purse.c \
	src/policies/incentive/purse.h \
	src/policies/incentive/seats.c \
	src/policies/incentive/seats.h
libastra_decide_a_SOURCES += \
	src/decide/decide_incentive.h \
	src/decide/incentive_parse.c \
	src/decide/incentive_print.c \
	src/decide/incentive_run.c

check_PROGRAMS += test_incentive test_incentive_jobs test_incentive_best \
	test_incentive_properties test_incentive_prices
test_incentive_jobs_SOURCES = testsuite/unit/test_incentive_jobs.c \
	testsuite/unit/market_fixture.h \
	testsuite/unit/unit.h
test_incentive_jobs_CFLAGS = $(UNIT_CFLAGS)
test_incentive_jobs_LDADD = $(UNIT_LIBS)
test_incentive_SOURCES = testsuite/unit/test_incentive.c \
	testsuite/unit/market_fixture.h \
	testsuite/unit/unit.h
test_incentive_CFLAGS = $(UNIT_CFLAGS)
test_incentive_LDADD = $(UNIT_LIBS)
test_incentive_best_SOURCES = testsuite/unit/test_incentive_best.c \
	testsuite/unit/market_literal.c \
	testsuite/unit/market_literal.h \
	testsuite/unit/market_random.h \
	testsuite/unit/unit.h
test_incentive_best_CFLAGS = $(UNIT_CFLAGS)
test_incentive_best_LDADD = $(UNIT_LIBS)
test_incentive_properties_SOURCES = \
	testsuite/unit/test_incentive_properties.c \
	testsuite/unit/market_random.h \
	testsuite/unit/unit.h
test_incentive_properties_CFLAGS = $(UNIT_CFLAGS)
test_incentive_properties_LDADD = $(UNIT_LIBS)
test_incentive_prices_SOURCES = testsuite/unit/test_incentive_prices.c \
	testsuite/unit/market_random.h \
	testsuite/unit/unit.h
test_incentive_prices_CFLAGS = $(UNIT_CFLAGS)
test_incentive_prices_LDADD = $(UNIT_LIBS)
EXTRA_DIST += testsuite/golden/incentive

EXTRA_PROGRAMS += bench_incentive
BENCH += bench_incentive
CLEANFILES += bench_incentive
bench_incentive_SOURCES = testsuite/bench/bench_incentive.c \
	testsuite/bench/bench.h \
	testsuite/unit/market_literal.c \
	testsuite/unit/market_literal.h
bench_incentive_LDADD = libastra-engine.a libastra-common.a

EXTRA_PROGRAMS += bench_incentive_revenue
BENCH += bench_incentive_revenue
CLEANFILES += bench_incentive_revenue
bench_incentive_revenue_SOURCES = testsuite/bench/bench_incentive_revenue.c \
	testsuite/bench/incentive_slots.h \
	testsuite/bench/incentive_world.h
bench_incentive_revenue_LDADD = libastra-engine.a libastra-common.a
check_PROGRAMS += test_incentive_revenue
test_incentive_revenue_SOURCES = testsuite/unit/test_incentive_revenue.c \
	testsuite/bench/incentive_slots.h \
	testsuite/bench/incentive_world.h \
	testsuite/unit/unit.h
test_incentive_revenue_CFLAGS = $(UNIT_CFLAGS)
test_incentive_revenue_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_incentive_policy test_incentive_state
test_incentive_state_SOURCES = testsuite/unit/test_incentive_state.c \
	testsuite/unit/incentive_pool.h \
	testsuite/unit/unit.h
test_incentive_state_CFLAGS = $(UNIT_CFLAGS)
test_incentive_state_LDADD = $(UNIT_LIBS)
test_incentive_policy_SOURCES = testsuite/unit/test_incentive_policy.c \
	testsuite/unit/incentive_pool.h \
	testsuite/unit/unit.h
test_incentive_policy_CFLAGS = $(UNIT_CFLAGS)
test_incentive_policy_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_incentive_epoch
test_incentive_epoch_SOURCES = testsuite/unit/test_incentive_epoch.c \
	testsuite/unit/incentive_pool.h \
	testsuite/unit/unit.h
test_incentive_epoch_CFLAGS = $(UNIT_CFLAGS)
test_incentive_epoch_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_older
test_engine_older_SOURCES = testsuite/unit/test_engine_older.c \
	testsuite/unit/incentive_pool.h \
	testsuite/unit/unit.h
test_engine_older_CFLAGS = $(UNIT_CFLAGS)
test_engine_older_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_incentive_told
test_incentive_told_SOURCES = testsuite/unit/test_incentive_told.c \
	testsuite/unit/incentive_pool.h \
	testsuite/unit/unit.h
test_incentive_told_CFLAGS = $(UNIT_CFLAGS)
test_incentive_told_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_incentive_budget
test_incentive_budget_SOURCES = testsuite/unit/test_incentive_budget.c \
	testsuite/unit/incentive_pool.h \
	testsuite/unit/unit.h
test_incentive_budget_CFLAGS = $(UNIT_CFLAGS)
test_incentive_budget_LDADD = $(UNIT_LIBS)
