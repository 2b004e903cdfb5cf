# SPDX-License-Identifier: GPL-2.0-or-later
# Queries of the live state and of history.
bin_PROGRAMS += sfair

# The pure files of sfair top.
top_sources = \
	src/cmd/sfair/top.h \
	src/cmd/sfair/top_columns.c \
	src/cmd/sfair/top_draw.c \
	src/cmd/sfair/top_draw_list.c \
	src/cmd/sfair/top_keys.c \
	src/cmd/sfair/top_model.c \
	src/cmd/sfair/top_sheet.c
sfair_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
sfair_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS) \
	$(MICROHTTPD_CFLAGS) $(NCURSES_CFLAGS) $(ZLIB_CFLAGS)
sfair_LDADD = libastra-cli.a libastra-page.a libastra-conf.a libastra-proto.a libastra-audit.a \
	libastra-record.a \
	$(SIM_LIBS) \
	libastra-engine.a libastra-common.a $(SLURMFULL_LIBS) \
 $(MICROHTTPD_LIBS) $(NCURSES_LIBS) $(ZLIB_LIBS)
sfair_SOURCES = \
	src/cmd/sfair/accounts.c \
	src/cmd/sfair/accounts.h \
	src/cmd/sfair/adopt.c \
	src/cmd/sfair/adopt.h \
	src/cmd/sfair/adopt_rows.c \
	src/cmd/sfair/args.c \
	src/cmd/sfair/ask.c \
	src/cmd/sfair/audit.c \
	src/cmd/sfair/audit.h \
	src/cmd/sfair/audit_args.c \
	src/cmd/sfair/audit_json.c \
	src/cmd/sfair/audit_policies.c \
	src/cmd/sfair/audit_print.c \
	src/cmd/sfair/cell.c \
	src/cmd/sfair/check.c \
	src/cmd/sfair/check.h \
	src/cmd/sfair/check_conf.c \
	src/cmd/sfair/check_jobs.c \
	src/cmd/sfair/columns.c \
	src/cmd/sfair/commands.c \
	src/cmd/sfair/conf.c \
	src/cmd/sfair/doctor.c \
	src/cmd/sfair/doctor.h \
	src/cmd/sfair/doctor_host.c \
	src/cmd/sfair/doctor_live.c \
	src/cmd/sfair/http.c \
	src/cmd/sfair/http.h \
	src/cmd/sfair/http_nets.c \
	src/cmd/sfair/main.c \
	src/cmd/sfair/metrics.c \
	src/cmd/sfair/metrics.h \
	src/cmd/sfair/metrics_http.c \
	src/cmd/sfair/metrics_table.c \
	src/cmd/sfair/metrics_text.c \
	src/cmd/sfair/mine.c \
	src/cmd/sfair/names.c \
	src/cmd/sfair/page_ask.c \
	src/cmd/sfair/page_main.c \
	src/cmd/sfair/print_diag.c \
	src/cmd/sfair/print_table.c \
	src/cmd/sfair/rows.c \
	src/cmd/sfair/record.c \
	src/cmd/sfair/slurm.c \
	src/cmd/sfair/slurm.h \
	src/cmd/sfair/starts.c \
	src/cmd/sfair/reports.c \
	src/cmd/sfair/reports.h \
	src/cmd/sfair/reports_print.c \
	src/cmd/sfair/sfair.h \
	$(top_sources) \
	src/cmd/sfair/top.c \
	src/cmd/sfair/top_fetch.c \
	src/cmd/sfair/top_live.c \
	src/cmd/sfair/top_screen.c \
	src/cmd/sfair/try.c \
	src/cmd/sfair/try.h \
	src/cmd/sfair/try_file.c \
	src/cmd/sfair/try_file.h \
	src/cmd/sfair/try_json.c \
	src/cmd/sfair/try_print.c \
	src/cmd/sfair/try_words.c \
	src/cmd/sfair/watch.c \
	src/cmd/sfair/watch.h \
	src/cmd/sfair/watch_json.c \
	src/cmd/sfair/watch_print.c \
	src/cmd/sfair/watch_rows.c \
	src/cmd/sfair/web.c \
	src/cmd/sfair/web.h \
	src/cmd/sfair/web_lists.c \
	src/cmd/sfair/web_page.c \
	src/cmd/sfair/web_state.c \
	src/cmd/sfair/why.c

# The page of sfair report, drawn from replies.
noinst_LIBRARIES += libastra-page.a
libastra_page_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_page_a_SOURCES = \
	src/cmd/sfair/page.c \
	src/cmd/sfair/page.h \
	src/cmd/sfair/page_before.c \
	src/cmd/sfair/page_data.c \
	src/cmd/sfair/page_gantt.c \
	src/cmd/sfair/page_tables.c \
	src/cmd/sfair/page_text.c \
	src/cmd/sfair/page_tree.c \
	src/cmd/sfair/page_usage.c \
	src/cmd/sfair/page_waits.c

check_PROGRAMS += test_page
test_page_SOURCES = testsuite/unit/test_page.c testsuite/unit/unit.h
test_page_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_page_LDADD = libastra-page.a $(SIM_LIBS) $(UNIT_LIBS)
dist_check_SCRIPTS += testsuite/page/page.sh
EXTRA_DIST += testsuite/page/look.py testsuite/page/replies.py \
	testsuite/page/web.py

# Its results, real and simulated.
dist_check_SCRIPTS += testsuite/sim/audit.sh testsuite/sim/try.sh

check_PROGRAMS += test_http_nets
test_http_nets_SOURCES = testsuite/unit/test_http_nets.c \
	src/cmd/sfair/http_nets.c
test_http_nets_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_http_nets_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_sfair test_sfair_listen test_sfair_metrics test_sfair_web
test_sfair_SOURCES = testsuite/unit/test_sfair.c \
	testsuite/unit/sfair_server.h
test_sfair_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) \
	$(MUNGE_CFLAGS)
test_sfair_LDADD = libastra-server.a libastra-proto.a libastra-common.a \
	$(CMOCKA_LIBS)
test_sfair_metrics_SOURCES = testsuite/unit/test_sfair_metrics.c \
	testsuite/unit/sfair_server.h
test_sfair_metrics_CFLAGS = $(test_sfair_CFLAGS)
test_sfair_metrics_LDADD = $(test_sfair_LDADD)
test_sfair_listen_SOURCES = testsuite/unit/test_sfair_listen.c \
	testsuite/unit/sfair_http.h testsuite/unit/sfair_server.h
test_sfair_listen_CFLAGS = $(test_sfair_CFLAGS)
test_sfair_listen_LDADD = $(test_sfair_LDADD)
test_sfair_web_SOURCES = testsuite/unit/test_sfair_web.c \
	testsuite/unit/sfair_http.h testsuite/unit/sfair_server.h
test_sfair_web_CFLAGS = $(test_sfair_CFLAGS)
test_sfair_web_LDADD = $(test_sfair_LDADD)

check_PROGRAMS += test_rows
test_rows_SOURCES = testsuite/unit/test_rows.c src/cmd/sfair/rows.c \
	testsuite/unit/unit.h
test_rows_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_rows_LDADD = libastra-common.a $(JANSSON_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += test_top
test_top_SOURCES = testsuite/unit/test_top.c $(top_sources) \
	src/cmd/sfair/cell.c src/cmd/sfair/names.c
test_top_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_top_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)
if HISTORY
check_PROGRAMS += test_sfair_reports
endif
test_sfair_reports_SOURCES = testsuite/unit/test_sfair_reports.c \
	testsuite/unit/history_sample.h testsuite/unit/sfair_server.h
test_sfair_reports_CFLAGS = $(test_sfair_CFLAGS) $(SQLITE_CFLAGS)
test_sfair_reports_LDADD = libastra-history.a $(test_sfair_LDADD)

dist_check_SCRIPTS += testsuite/unit/sfair_check.sh
