# SPDX-License-Identifier: GPL-2.0-or-later
# Simulate, compare, tune and decide, without Slurm.
bin_PROGRAMS += sfairsim
sfairsim_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
sfairsim_LDADD = libastra-cli.a libastra-decide.a libastra-record.a $(SIM_LIBS) \
	libastra-engine.a libastra-common.a
sfairsim_SOURCES = \
	src/cmd/sfairsim/arg_table.c \
	src/cmd/sfairsim/args.h \
	src/cmd/sfairsim/batch.c \
	src/cmd/sfairsim/batch.h \
	src/cmd/sfairsim/decide.c \
	src/cmd/sfairsim/main.c \
	src/cmd/sfairsim/options.c \
	src/cmd/sfairsim/replay.c \
	src/cmd/sfairsim/replay.h \
	src/cmd/sfairsim/replay_live.c \
	src/cmd/sfairsim/replay_report.c \
	src/cmd/sfairsim/replay_slurm.c \
	src/cmd/sfairsim/run.c \
	src/cmd/sfairsim/setup.c \
	src/cmd/sfairsim/setup.h \
	src/cmd/sfairsim/sweep.c \
	src/cmd/sfairsim/sweep.h \
	src/cmd/sfairsim/table.c \
	src/cmd/sfairsim/table.h \
	src/cmd/sfairsim/tune.c \
	src/cmd/sfairsim/sfairsim.h

# Tests of the commands as users run them, and of their pages in a browser.
dist_check_SCRIPTS += testsuite/sim/commands.sh testsuite/sim/cheats.sh \
	testsuite/sim/caps.sh testsuite/sim/shares.sh testsuite/sim/papers.sh \
	testsuite/sim/page.sh
EXTRA_DIST += testsuite/sim/page-check.py testsuite/sim/page-probe.js \
	testsuite/sim/truth.sh testsuite/papers \
	testsuite/sim/recompute.py

check_PROGRAMS += test_terms
test_terms_SOURCES = testsuite/unit/test_terms.c src/cmd/sfairsim/sweep.c \
	testsuite/unit/unit.h
test_terms_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_terms_LDADD = $(SIM_LIBS) $(UNIT_LIBS)
