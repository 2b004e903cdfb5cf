# SPDX-License-Identifier: GPL-2.0-or-later
# The interface of the policies and the list of them; each has a folder.
libastra_engine_a_SOURCES += \
	src/policies/forecast.c \
	src/policies/forecast.h \
	src/policies/ltgf/ltgf.c \
	src/policies/ltgf/ltgf.h \
	src/policies/offer.c \
	src/policies/offer.h \
	src/policies/policy.h \
	src/policies/registry.c

check_PROGRAMS += test_ranking
test_ranking_SOURCES = testsuite/unit/test_ranking.c \
	testsuite/unit/unit.h
test_ranking_CFLAGS = $(UNIT_CFLAGS)
test_ranking_LDADD = $(UNIT_LIBS)
