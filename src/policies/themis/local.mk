# SPDX-License-Identifier: GPL-2.0-or-later
# Themis: partial-allocation auctions for finish-time fairness.
libastra_engine_a_SOURCES += \
	src/policies/themis/app.c \
	src/policies/themis/app.h \
	src/policies/themis/auction.c \
	src/policies/themis/auction.h \
	src/policies/themis/division.c \
	src/policies/themis/division.h \
	src/policies/themis/growth.c \
	src/policies/themis/growth.h \
	src/policies/themis/memories.c \
	src/policies/themis/memories.h \
	src/policies/themis/parties.c \
	src/policies/themis/parties.h \
	src/policies/themis/phase.c \
	src/policies/themis/phase.h \
	src/policies/themis/pin.c \
	src/policies/themis/pin.h \
	src/policies/themis/place.h \
	src/policies/themis/policy.c \
	src/policies/themis/policy.h \
	src/policies/themis/record.c \
	src/policies/themis/record.h \
	src/policies/themis/sale.c \
	src/policies/themis/seats.c \
	src/policies/themis/seats.h \
	src/policies/themis/solver/bound.c \
	src/policies/themis/solver/bound.h \
	src/policies/themis/solver/deal.c \
	src/policies/themis/solver/deal.h \
	src/policies/themis/solver/exact.c \
	src/policies/themis/solver/game.c \
	src/policies/themis/solver/game.h \
	src/policies/themis/solver/moves.c \
	src/policies/themis/solver/moves.h \
	src/policies/themis/solver/prices.c \
	src/policies/themis/solver/prices.h \
	src/policies/themis/solver/search.c \
	src/policies/themis/solver/settle.c \
	src/policies/themis/solver/tree.c \
	src/policies/themis/solver/tree.h \
	src/policies/themis/spread.c \
	src/policies/themis/spread.h \
	src/policies/themis/swap.c \
	src/policies/themis/swap.h \
	src/policies/themis/table.c \
	src/policies/themis/table.h \
	src/policies/themis/table_priv.h \
	src/policies/themis/table_search.c \
	src/policies/themis/themis.c \
	src/policies/themis/themis.h
libastra_decide_a_SOURCES += \
	src/decide/decide_themis.h \
	src/decide/themis_parse.c \
	src/decide/themis_parse_app.c \
	src/decide/themis_parse_table.c \
	src/decide/themis_print.c \
	src/decide/themis_run.c
EXTRA_DIST += testsuite/golden/themis

check_PROGRAMS += test_themis_app test_themis_auction test_themis_parts \
	test_themis_round test_themis_search test_themis_table
test_themis_app_SOURCES = testsuite/unit/test_themis_app.c \
	testsuite/unit/unit.h
test_themis_app_CFLAGS = $(UNIT_CFLAGS)
test_themis_app_LDADD = $(UNIT_LIBS)
test_themis_auction_SOURCES = testsuite/unit/test_themis_auction.c \
	testsuite/unit/themis_auctions.h \
	testsuite/unit/unit.h
test_themis_auction_CFLAGS = $(UNIT_CFLAGS)
test_themis_auction_LDADD = $(UNIT_LIBS)
test_themis_parts_SOURCES = testsuite/unit/test_themis_parts.c \
	testsuite/unit/unit.h
test_themis_parts_CFLAGS = $(UNIT_CFLAGS)
test_themis_parts_LDADD = $(UNIT_LIBS)
test_themis_round_SOURCES = testsuite/unit/test_themis_round.c \
	testsuite/unit/unit.h
test_themis_round_CFLAGS = $(UNIT_CFLAGS)
test_themis_round_LDADD = $(UNIT_LIBS)
test_themis_search_SOURCES = testsuite/unit/test_themis_search.c \
	testsuite/unit/themis_auctions.h \
	testsuite/unit/themis_greedy.h \
	testsuite/unit/unit.h
test_themis_search_CFLAGS = $(UNIT_CFLAGS)
test_themis_search_LDADD = $(UNIT_LIBS)
test_themis_table_SOURCES = testsuite/unit/test_themis_table.c \
	testsuite/unit/unit.h
test_themis_table_CFLAGS = $(UNIT_CFLAGS)
test_themis_table_LDADD = $(UNIT_LIBS)

EXTRA_PROGRAMS += bench_themis bench_themis_auction bench_auctions
BENCH += bench_themis bench_themis_auction bench_auctions
CLEANFILES += bench_themis bench_themis_auction bench_auctions
bench_auctions_SOURCES = testsuite/bench/bench_auctions.c \
	testsuite/bench/bench.h
bench_auctions_CFLAGS = $(UNIT_CFLAGS)
bench_auctions_LDADD = $(UNIT_LIBS)
bench_themis_SOURCES = testsuite/bench/bench_themis.c \
	testsuite/bench/bench.h
bench_themis_LDADD = libastra-engine.a libastra-common.a
bench_themis_auction_SOURCES = testsuite/bench/bench_themis_auction.c \
	testsuite/bench/bench.h \
	testsuite/unit/themis_greedy.h
bench_themis_auction_LDADD = libastra-engine.a libastra-common.a

check_PROGRAMS += test_themis_spread
test_themis_spread_SOURCES = testsuite/unit/test_themis_spread.c \
	testsuite/unit/unit.h
test_themis_spread_CFLAGS = $(UNIT_CFLAGS)
test_themis_spread_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_themis_policy
test_themis_policy_SOURCES = testsuite/unit/test_themis_policy.c \
	testsuite/unit/unit.h
test_themis_policy_CFLAGS = $(UNIT_CFLAGS)
test_themis_policy_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_themis_bids
test_themis_bids_SOURCES = testsuite/unit/test_themis_bids.c \
	testsuite/unit/unit.h
test_themis_bids_CFLAGS = $(UNIT_CFLAGS)
test_themis_bids_LDADD = $(UNIT_LIBS)
