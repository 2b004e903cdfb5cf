# SPDX-License-Identifier: GPL-2.0-or-later
# The report, the JSON messages, and MUNGE's signature on them.
noinst_LIBRARIES += libastra-proto.a
libastra_proto_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastra_proto_a_SOURCES = \
	src/proto/answer.c \
	src/proto/answer.h \
	src/proto/answer_metrics.c \
	src/proto/answer_own.c \
	src/proto/answer_record.c \
	src/proto/answer_top.c \
	src/proto/answer_app.c \
	src/proto/bid_text.c \
	src/proto/bid_text.h \
	src/proto/call.c \
	src/proto/curves.c \
	src/proto/curves.h \
	src/proto/dial.c \
	src/proto/dial.h \
	src/proto/listen.c \
	src/proto/listen.h \
	src/proto/encode.c \
	src/proto/encode.h \
	src/proto/query.c \
	src/proto/query.h \
	src/proto/query_json.c \
	src/proto/query_read.c \
	src/proto/query_read.h \
	src/proto/query_read_bid.c \
	src/proto/query_write.c \
	src/proto/report.c \
	src/proto/report.h \
	src/proto/report_members.c \
	src/proto/report_members.h \
	src/proto/report_pool.h \
	src/proto/sack.c \
	src/proto/sack.h \
	src/proto/select.c \
	src/proto/select.h \
	src/proto/select_app.c \
	src/proto/sign.c \
	src/proto/sign.h \
	src/proto/status.c \
	src/proto/status.h \
	src/proto/token.c \
	src/proto/token.h \
	src/proto/why.c \
	src/proto/why_answer.c \
	src/proto/why_bind.c \
	src/proto/why_change.c \
	src/proto/why_json.c \
	src/proto/why_priv.h \
	src/proto/why_owed.c \
	src/proto/why_turn.c \
	src/proto/wire.c \
	src/proto/wire.h

EXTRA_DIST += testsuite/proto-invalid testsuite/unit/proto_sample.h \
	testsuite/unit/auction_sample.h \
	testsuite/unit/proto_munged.h testsuite/unit/stranger.h

check_PROGRAMS += test_proto_query
test_proto_query_SOURCES = testsuite/unit/test_proto_query.c
test_proto_query_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_proto_query_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_proto_adopt
test_proto_adopt_SOURCES = testsuite/unit/test_proto_adopt.c
test_proto_adopt_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_proto_adopt_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_status
test_status_SOURCES = testsuite/unit/test_status.c
test_status_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_status_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_proto_answer
test_proto_answer_SOURCES = testsuite/unit/test_proto_answer.c
test_proto_answer_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_proto_answer_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_why
test_why_SOURCES = testsuite/unit/test_why.c
test_why_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_why_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)


check_PROGRAMS += test_why_worlds
test_why_worlds_SOURCES = testsuite/unit/test_why_worlds.c
test_why_worlds_CFLAGS = $(test_why_CFLAGS)
test_why_worlds_LDADD = $(test_why_LDADD)

check_PROGRAMS += test_progress
progress_sources = src/slurm/note/progress.c src/slurm/note/progress.h \
	src/slurm/note/progress_priv.h src/slurm/note/progress_size.c \
	src/slurm/note/progress_state.c
bids_sources = src/slurm/note/bid_files.c src/slurm/note/bids.c \
	src/slurm/note/bids_priv.h src/slurm/note/bids_state.c
test_progress_SOURCES = testsuite/unit/test_progress.c $(progress_sources)
test_progress_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_progress_LDADD = libastra-proto.a libastra-engine.a \
	libastra-common.a $(CMOCKA_LIBS)

# The server needs no Slurm, so it is tested without slurmctld.
noinst_LIBRARIES += libastra-server.a
libastra_server_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastra_server_a_SOURCES = \
	src/slurm/desk/server.c \
	src/slurm/desk/server.h \
	src/slurm/desk/server_client.c \
	src/slurm/desk/server_munge.c src/slurm/desk/server_munge.h \
	src/slurm/desk/server_loop.c \
	src/slurm/desk/server_past.c \
	src/slurm/desk/server_private.h \
	src/slurm/desk/server_socket.c \
	src/slurm/desk/server_token.c src/slurm/desk/server_token.h

check_PROGRAMS += test_proto_server
test_proto_server_SOURCES = testsuite/unit/test_proto_server.c
test_proto_server_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) \
	$(MUNGE_CFLAGS)
test_proto_server_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=server_now_msec \
	-Wl,--wrap=astra_answer
test_proto_server_LDADD = libastra-server.a libastra-proto.a libastra-common.a \
	$(CMOCKA_LIBS)

check_PROGRAMS += test_network
test_network_SOURCES = testsuite/unit/test_network.c
test_network_CFLAGS = $(test_proto_server_CFLAGS)
test_network_LDADD = $(test_proto_server_LDADD)

check_PROGRAMS += test_bind
test_bind_SOURCES = testsuite/unit/test_bind.c
test_bind_CFLAGS = $(test_proto_server_CFLAGS)
test_bind_LDADD = $(test_proto_server_LDADD)

check_PROGRAMS += test_auth_slurm
test_auth_slurm_SOURCES = testsuite/unit/test_auth_slurm.c
test_auth_slurm_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_auth_slurm_LDADD = libastra-client.a $(test_proto_server_LDADD)

check_PROGRAMS += test_proto_past
test_proto_past_SOURCES = testsuite/unit/test_proto_past.c
test_proto_past_CFLAGS = $(test_proto_server_CFLAGS)
test_proto_past_LDADD = $(test_proto_server_LDADD)

EXTRA_PROGRAMS += bench_progress
BENCH += bench_progress
CLEANFILES += bench_progress
bench_progress_SOURCES = testsuite/bench/bench_progress.c \
	testsuite/bench/bench.h $(progress_sources) $(bids_sources)
bench_progress_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
bench_progress_LDADD = libastra-server.a libastra-proto.a \
	libastra-engine.a libastra-common.a

EXTRA_PROGRAMS += bench_queries
BENCH += bench_queries
CLEANFILES += bench_queries
bench_queries_SOURCES = testsuite/bench/bench_queries.c \
	testsuite/bench/bench.h
bench_queries_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
bench_queries_LDADD = libastra-server.a libastra-proto.a libastra-common.a


check_PROGRAMS += test_bids
test_bids_SOURCES = testsuite/unit/test_bids.c $(bids_sources)
test_bids_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_bids_LDADD = libastra-proto.a libastra-engine.a libastra-common.a \
	$(CMOCKA_LIBS)

check_PROGRAMS += test_note
note_sources = src/slurm/note/note.c src/slurm/note/note.h
test_note_SOURCES = testsuite/unit/test_note.c $(note_sources)
test_note_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_note_LDADD = $(test_bids_LDADD)

EXTRA_PROGRAMS += bench_note
BENCH += bench_note
CLEANFILES += bench_note
bench_note_SOURCES = testsuite/bench/bench_note.c testsuite/bench/bench.h \
	$(note_sources)
bench_note_LDADD = libastra-engine.a libastra-common.a

check_PROGRAMS += test_told_state
test_told_state_SOURCES = testsuite/unit/test_told_state.c \
	src/slurm/note/told_state.c src/slurm/note/told_state.h $(progress_sources) \
	$(bids_sources)
test_told_state_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_told_state_LDADD = $(test_bids_LDADD)

check_PROGRAMS += test_proto_auction
test_proto_auction_SOURCES = testsuite/unit/test_proto_auction.c
test_proto_auction_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_proto_auction_LDADD = libastra-proto.a libastra-common.a \
	$(CMOCKA_LIBS)

check_PROGRAMS += test_report_members
test_report_members_SOURCES = testsuite/unit/test_report_members.c
test_report_members_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_report_members_LDADD = libastra-proto.a libastra-common.a $(CMOCKA_LIBS)
