# SPDX-License-Identifier: GPL-2.0-or-later
# The companion of a job. It does not link Slurm.
bin_PROGRAMS += sfair-agent
agent_sources = \
	src/cmd/sfair-agent/apart.c \
	src/cmd/sfair-agent/apart.h \
	src/cmd/sfair-agent/checkpoint.c \
	src/cmd/sfair-agent/checkpoint.h \
	src/cmd/sfair-agent/follow.c \
	src/cmd/sfair-agent/follow.h \
	src/cmd/sfair-agent/manifest.c \
	src/cmd/sfair-agent/manifest.h \
	src/cmd/sfair-agent/options.c \
	src/cmd/sfair-agent/options.h \
	src/cmd/sfair-agent/pattern.c \
	src/cmd/sfair-agent/pattern.h \
	src/cmd/sfair-agent/program.c \
	src/cmd/sfair-agent/program.h \
	src/cmd/sfair-agent/progress.c \
	src/cmd/sfair-agent/run.c \
	src/cmd/sfair-agent/run.h \
	src/cmd/sfair-agent/tree.c \
	src/cmd/sfair-agent/tree.h \
	src/cmd/sfair-agent/watch.c \
	src/cmd/sfair-agent/watch.h \
	src/cmd/sfair-agent/stream.c \
	src/cmd/sfair-agent/stream.h
sfair_agent_SOURCES = src/cmd/sfair-agent/main.c $(agent_sources)
sfair_agent_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS) \
	-DASTRA_CRIU='"$(pkglibexecdir)/sfair-criu"'
sfair_agent_LDADD = libastra-cli.a libastra-client.a libastra-proto.a \
	$(AGENT_LIBS)

# The program of --checkpoint-with=criu.
dist_pkglibexec_SCRIPTS = src/cmd/sfair-agent/sfair-criu

dist_check_SCRIPTS += testsuite/unit/test_sfair_agent.sh \
	testsuite/unit/test_checkpoint.sh
BENCH_SHELL += testsuite/bench/bench-agent.sh testsuite/bench/bench-dump.sh

check_PROGRAMS += test_agent_tree
test_agent_tree_SOURCES = testsuite/unit/test_agent_tree.c testsuite/unit/unit.h \
	src/cmd/sfair-agent/tree.c src/cmd/sfair-agent/tree.h
test_agent_tree_CFLAGS = $(UNIT_CFLAGS)
test_agent_tree_LDADD = libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_agent_program test_agent_watch
test_agent_program_SOURCES = testsuite/unit/test_agent_program.c \
	src/cmd/sfair-agent/program.c src/cmd/sfair-agent/program.h \
	testsuite/unit/unit.h
test_agent_program_CFLAGS = $(UNIT_CFLAGS)
test_agent_program_LDADD = $(AGENT_LIBS) $(CMOCKA_LIBS)
# The test itself answers in the plugin's place.
test_agent_watch_SOURCES = testsuite/unit/test_agent_watch.c \
	src/client/answer.c src/client/answer.h \
	src/client/place.c src/client/place.h \
	src/cmd/sfair-agent/pattern.c src/cmd/sfair-agent/pattern.h \
	src/cmd/sfair-agent/options.c src/cmd/sfair-agent/options.h \
	src/cmd/sfair-agent/program.c src/cmd/sfair-agent/program.h \
	src/cmd/sfair-agent/watch.c src/cmd/sfair-agent/watch.h \
	testsuite/unit/unit.h
test_agent_watch_CFLAGS = $(UNIT_CFLAGS) $(JANSSON_CFLAGS)
test_agent_watch_LDADD = libastra-cli.a libastra-proto.a $(AGENT_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += test_agent_log
test_agent_log_SOURCES = testsuite/unit/test_agent_log.c \
	testsuite/unit/unit.h \
	src/cmd/sfair-agent/pattern.c \
	src/cmd/sfair-agent/progress.c \
	src/cmd/sfair-agent/stream.c
test_agent_log_CFLAGS = $(UNIT_CFLAGS)
test_agent_log_LDADD = libastra-common.a $(CMOCKA_LIBS)
