# SPDX-License-Identifier: GPL-2.0-or-later
# Themis: partial-allocation auctions for finish-time fairness.
libastra_policy_a_SOURCES += \
	src/policy/themis/app.c \
	src/policy/themis/app.h \
	src/policy/themis/auction.c \
	src/policy/themis/auction.h \
	src/policy/themis/census.c \
	src/policy/themis/census.h \
	src/policy/themis/division.c \
	src/policy/themis/division.h \
	src/policy/themis/filter.c \
	src/policy/themis/filter.h \
	src/policy/themis/growth.c \
	src/policy/themis/growth.h \
	src/policy/themis/hand.c \
	src/policy/themis/hand.h \
	src/policy/themis/leftovers.c \
	src/policy/themis/leftovers.h \
	src/policy/themis/memories.c \
	src/policy/themis/memories.h \
	src/policy/themis/parties.c \
	src/policy/themis/parties.h \
	src/policy/themis/partition.c \
	src/policy/themis/partition.h \
	src/policy/themis/phase.c \
	src/policy/themis/phase.h \
	src/policy/themis/pin.c \
	src/policy/themis/pin.h \
	src/policy/themis/policy.c \
	src/policy/themis/policy.h \
	src/policy/themis/record.c \
	src/policy/themis/record.h \
	src/policy/themis/rounding.c \
	src/policy/themis/rounding.h \
	src/policy/themis/sale.c \
	src/policy/themis/seats.c \
	src/policy/themis/seats.h \
	src/policy/themis/solver/bound.c \
	src/policy/themis/solver/bound.h \
	src/policy/themis/solver/deal.c \
	src/policy/themis/solver/deal.h \
	src/policy/themis/solver/exact.c \
	src/policy/themis/solver/game.c \
	src/policy/themis/solver/game.h \
	src/policy/themis/solver/greedy.c \
	src/policy/themis/solver/greedy.h \
	src/policy/themis/solver/moves.c \
	src/policy/themis/solver/moves.h \
	src/policy/themis/solver/prices.c \
	src/policy/themis/solver/prices.h \
	src/policy/themis/solver/search.c \
	src/policy/themis/solver/settle.c \
	src/policy/themis/solver/tree.c \
	src/policy/themis/solver/tree.h \
	src/policy/themis/swap.c \
	src/policy/themis/swap.h \
	src/policy/themis/table.c \
	src/policy/themis/table.h \
	src/policy/themis/table_exact.c \
	src/policy/themis/table_priv.h \
	src/policy/themis/table_search.c \
	src/policy/themis/themis.c \
	src/policy/themis/themis.h
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
bench_themis_LDADD = libastra-policy.a libastra-common.a
bench_themis_auction_SOURCES = testsuite/bench/bench_themis_auction.c \
	testsuite/bench/bench.h \
	testsuite/unit/themis_greedy.h
bench_themis_auction_LDADD = libastra-policy.a libastra-common.a

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
