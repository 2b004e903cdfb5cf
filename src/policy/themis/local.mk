# SPDX-License-Identifier: GPL-2.0-or-later
# Themis: partial-allocation auctions for finish-time fairness.
libastra_policy_la_SOURCES += \
	src/policy/themis/app.c \
	src/policy/themis/app.h \
	src/policy/themis/auction.h \
	src/policy/themis/filter.c \
	src/policy/themis/filter.h \
	src/policy/themis/leftovers.c \
	src/policy/themis/leftovers.h \
	src/policy/themis/partition.c \
	src/policy/themis/partition.h \
	src/policy/themis/phase.c \
	src/policy/themis/phase.h \
	src/policy/themis/rounding.c \
	src/policy/themis/rounding.h \
	src/policy/themis/table.c \
	src/policy/themis/table.h \
	src/policy/themis/table_exact.c \
	src/policy/themis/table_priv.h \
	src/policy/themis/table_search.c
libastra_decide_la_SOURCES +=

check_PROGRAMS += test_themis_app test_themis_parts test_themis_table
test_themis_app_SOURCES = testsuite/unit/test_themis_app.c \
	testsuite/unit/unit.h
test_themis_app_CFLAGS = $(UNIT_CFLAGS)
test_themis_app_LDADD = $(UNIT_LIBS)
test_themis_parts_SOURCES = testsuite/unit/test_themis_parts.c \
	testsuite/unit/unit.h
test_themis_parts_CFLAGS = $(UNIT_CFLAGS)
test_themis_parts_LDADD = $(UNIT_LIBS)
test_themis_table_SOURCES = testsuite/unit/test_themis_table.c \
	testsuite/unit/unit.h
test_themis_table_CFLAGS = $(UNIT_CFLAGS)
test_themis_table_LDADD = $(UNIT_LIBS)
