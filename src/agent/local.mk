# SPDX-License-Identifier: GPL-2.0-or-later
# App schedulers of sfair-agent: an offer in, a bid out; pure.
noinst_LIBRARIES += libastra-agent.a
libastra_agent_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_agent_a_SOURCES = \
	src/agent/bid.c \
	src/agent/bid.h \
	src/agent/curve.c \
	src/agent/halving.c \
	src/agent/memory.c \
	src/agent/memory.h \
	src/agent/offer.c \
	src/agent/offer.h \
	src/agent/scheduler.c \
	src/agent/scheduler.h \
	src/agent/work.c \
	src/agent/work.h

# libastra-agent.a and the libraries that it needs.
AGENT_LIBS = libastra-agent.a libastra-decide.a libastra-engine.a \
	libastra-common.a

check_PROGRAMS += test_agent_offer test_agent_halving test_agent_curve
test_agent_offer_SOURCES = testsuite/unit/test_agent_offer.c \
	testsuite/unit/agent_search.h testsuite/unit/unit.h
test_agent_offer_CFLAGS = $(UNIT_CFLAGS) $(JANSSON_CFLAGS)
test_agent_offer_LDADD = $(AGENT_LIBS) $(CMOCKA_LIBS)
test_agent_halving_SOURCES = testsuite/unit/test_agent_halving.c \
	testsuite/unit/agent_search.h testsuite/unit/unit.h
test_agent_halving_CFLAGS = $(UNIT_CFLAGS)
test_agent_halving_LDADD = $(AGENT_LIBS) $(CMOCKA_LIBS)
test_agent_curve_SOURCES = testsuite/unit/test_agent_curve.c \
	testsuite/unit/agent_search.h testsuite/unit/unit.h
test_agent_curve_CFLAGS = $(UNIT_CFLAGS)
test_agent_curve_LDADD = $(AGENT_LIBS) $(CMOCKA_LIBS)
