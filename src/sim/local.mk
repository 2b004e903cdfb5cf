# SPDX-License-Identifier: GPL-2.0-or-later
# Traces, the event loop and metrics; links the policies, never Slurm.
noinst_LIBRARIES += libastra-sim.a
SIM_LIBS = libastra-sim.a libastra-html.a libastra-world.a
libastra_sim_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_sim_a_SOURCES = \
	src/sim/cluster.c \
	src/sim/overbid.c \
	src/sim/overbid.h \
	src/sim/scheduler.c \
	src/sim/scheduler.h \
	src/sim/simulate.c \
	src/sim/simulate.h \
	src/sim/past.c \
	src/sim/past.h \
	src/sim/virtual.c \
	src/sim/virtual.h \
	src/sim/watch.c \
	src/sim/watch.h

# Where a trace comes from.
libastra_sim_a_SOURCES += \
	src/sim/child.c \
	src/sim/child.h \
	src/sim/columns.c \
	src/sim/columns.h \
	src/sim/field.c \
	src/sim/field.h \
	src/sim/generate.c \
	src/sim/generate.h \
	src/sim/lines.c \
	src/sim/lines.h \
	src/sim/read.c \
	src/sim/read.h \
	src/sim/read_csv.c \
	src/sim/read_priv.h \
	src/sim/read_swf.c \
	src/sim/trace.c \
	src/sim/trace.h \
	src/sim/trace_weights.c \
	src/sim/trace_weights.h

check_PROGRAMS += test_field
test_field_SOURCES = testsuite/unit/test_field.c testsuite/unit/unit.h
test_field_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_field_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_generate
test_generate_SOURCES = testsuite/unit/test_generate.c testsuite/unit/unit.h
test_generate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_generate_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_read
test_read_SOURCES = testsuite/unit/test_read.c \
	testsuite/unit/trace_file.h testsuite/unit/unit.h
test_read_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_read_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_read_bad
test_read_bad_SOURCES = testsuite/unit/test_read_bad.c \
	testsuite/unit/trace_file.h testsuite/unit/unit.h
test_read_bad_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_read_bad_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_read_sacct
test_read_sacct_SOURCES = testsuite/unit/test_read_sacct.c \
	testsuite/unit/trace_file.h testsuite/unit/unit.h
test_read_sacct_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_read_sacct_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_trace
test_trace_SOURCES = testsuite/unit/test_trace.c testsuite/unit/unit.h
test_trace_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_trace_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_trace_weights
test_trace_weights_SOURCES = testsuite/unit/test_trace_weights.c \
	testsuite/unit/trace_file.h testsuite/unit/unit.h
test_trace_weights_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_trace_weights_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

# What comes after a simulation: its numbers.
libastra_sim_a_SOURCES += \
	src/sim/bound.c \
	src/sim/compare.c \
	src/sim/compare.h \
	src/sim/conf.c \
	src/sim/conf.h \
	src/sim/contention.c \
	src/sim/digest.c \
	src/sim/digest.h \
	src/sim/grid.c \
	src/sim/grid.h \
	src/sim/html.h \
	src/sim/html_charts.c \
	src/sim/html_page.c \
	src/sim/html_priv.h \
	src/sim/html_sweep.c \
	src/sim/html_timeline.c \
	src/sim/metric_table.c \
	src/sim/metrics.c \
	src/sim/metrics.h \
	src/sim/outfile.c \
	src/sim/outfile.h \
	src/sim/output.c \
	src/sim/output.h \
	src/sim/output_fields.c \
	src/sim/output_summary.c \
	src/sim/sample.c \
	src/sim/sample.h \
	src/sim/series.c \
	src/sim/term.c \
	src/sim/term.h

check_PROGRAMS += test_metrics
test_metrics_SOURCES = testsuite/unit/test_metrics.c \
	testsuite/unit/sim_world.h testsuite/unit/unit.h
test_metrics_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_metrics_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_output
test_output_SOURCES = testsuite/unit/test_output.c \
	testsuite/unit/sim_world.h testsuite/unit/unit.h
test_output_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_output_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_html
test_html_SOURCES = testsuite/unit/test_html.c \
	testsuite/unit/sim_world.h testsuite/unit/unit.h
test_html_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_html_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_conf
test_conf_SOURCES = testsuite/unit/test_conf.c testsuite/unit/unit.h
test_conf_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_conf_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

# The baselines of the papers' evaluations.
check_PROGRAMS += test_baselines
test_baselines_SOURCES = testsuite/unit/test_baselines.c \
	testsuite/unit/baseline_world.h \
	testsuite/unit/step_world.c \
	testsuite/unit/step_world.h \
	testsuite/unit/unit.h
test_baselines_CFLAGS = $(UNIT_CFLAGS)
test_baselines_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_baselines_tenants
test_baselines_tenants_SOURCES = testsuite/unit/test_baselines_tenants.c \
	testsuite/unit/baseline_world.h \
	testsuite/unit/step_world.c \
	testsuite/unit/step_world.h \
	testsuite/unit/unit.h
test_baselines_tenants_CFLAGS = $(UNIT_CFLAGS)
test_baselines_tenants_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_baselines_elastic
test_baselines_elastic_SOURCES = testsuite/unit/test_baselines_elastic.c \
	testsuite/unit/baseline_world.h \
	testsuite/unit/step_world.c \
	testsuite/unit/step_world.h \
	testsuite/unit/unit.h
test_baselines_elastic_CFLAGS = $(UNIT_CFLAGS)
test_baselines_elastic_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_baselines_run
test_baselines_run_SOURCES = testsuite/unit/test_baselines_run.c \
	testsuite/unit/step_world.c \
	testsuite/unit/step_world.h \
	testsuite/unit/unit.h
test_baselines_run_CFLAGS = $(UNIT_CFLAGS)
test_baselines_run_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_term
test_term_SOURCES = testsuite/unit/test_term.c testsuite/unit/unit.h
test_term_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_term_LDADD = $(SIM_LIBS) $(UNIT_LIBS)
