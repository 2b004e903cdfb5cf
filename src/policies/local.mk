# SPDX-License-Identifier: GPL-2.0-or-later
# The interface of the policies, the list of them and their options; each has a folder.
libastra_engine_a_SOURCES += \
	src/policies/conf_keys.c \
	src/policies/conf_keys.h \
	src/policies/forecast.c \
	src/policies/forecast.h \
	src/policies/ltgf/ltgf.c \
	src/policies/ltgf/ltgf.h \
	src/policies/offer.c \
	src/policies/offer.h \
	src/policies/option_values.c \
	src/policies/option_values.h \
	src/policies/options.c \
	src/policies/options.h \
	src/policies/period.c \
	src/policies/period.h \
	src/policies/policy.h \
	src/policies/registry.c

check_PROGRAMS += test_ranking
test_ranking_SOURCES = testsuite/unit/test_ranking.c \
	testsuite/unit/unit.h
test_ranking_CFLAGS = $(UNIT_CFLAGS)
test_ranking_LDADD = $(UNIT_LIBS)
