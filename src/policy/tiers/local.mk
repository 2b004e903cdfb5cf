# SPDX-License-Identifier: GPL-2.0-or-later
# LTGF between tenants, another policy inside one.
libastra_policy_a_SOURCES += \
	src/policy/tiers/part.c \
	src/policy/tiers/part.h \
	src/policy/tiers/place.c \
	src/policy/tiers/policy.c \
	src/policy/tiers/policy.h \
	src/policy/tiers/record.c \
	src/policy/tiers/record.h \
	src/policy/tiers/rest.c \
	src/policy/tiers/serve.c \
	src/policy/tiers/serve.h \
	src/policy/tiers/split.c \
	src/policy/tiers/split.h \
	src/policy/tiers/tenants.c \
	src/policy/tiers/tenants.h

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
