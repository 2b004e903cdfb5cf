# SPDX-License-Identifier: GPL-2.0-or-later
# LTGF between tenants, another policy inside one.
libastra_engine_a_SOURCES += \
	src/policies/tiers/part.c \
	src/policies/tiers/part.h \
	src/policies/tiers/policy.c \
	src/policies/tiers/policy.h \
	src/policies/tiers/serve.c \
	src/policies/tiers/serve.h \
	src/policies/tiers/split.c \
	src/policies/tiers/split.h \
	src/policies/tiers/tenants.c \
	src/policies/tiers/tenants.h

check_PROGRAMS += test_tiers test_tiers_cases test_tiers_offers test_tiers_plans
test_tiers_SOURCES = testsuite/unit/test_tiers.c \
	testsuite/unit/unit.h
test_tiers_CFLAGS = $(UNIT_CFLAGS)
test_tiers_LDADD = $(UNIT_LIBS)
test_tiers_plans_SOURCES = testsuite/unit/test_tiers_plans.c \
	testsuite/unit/unit.h
test_tiers_plans_CFLAGS = $(UNIT_CFLAGS)
test_tiers_plans_LDADD = $(UNIT_LIBS)
test_tiers_cases_SOURCES = testsuite/unit/test_tiers_cases.c \
	testsuite/unit/tiers_offer.h \
	testsuite/unit/unit.h
test_tiers_cases_CFLAGS = $(UNIT_CFLAGS)
test_tiers_cases_LDADD = $(UNIT_LIBS)
test_tiers_offers_SOURCES = testsuite/unit/test_tiers_offers.c \
	testsuite/unit/tiers_offer.h \
	testsuite/unit/unit.h
test_tiers_offers_CFLAGS = $(UNIT_CFLAGS)
test_tiers_offers_LDADD = $(UNIT_LIBS)
