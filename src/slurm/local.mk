# SPDX-License-Identifier: GPL-2.0-or-later
# The shared library that all plugins of slurmctld link: the only code that
# touches slurmctld's structures, and everything pure.
plugin_DATA += libastraea.so
libastraea_so_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
libastraea_so_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastraea_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libastraea.so
# Whole: the plugins call what the library itself does not.
libastraea_so_LDADD = $(WHOLE_ARCHIVES) \
	libastra-conf.a \
	libastra-server.a \
	libastra-history.a \
	libastra-proto.a \
	libastra-record.a \
	libastra-foresee.a \
	libastra-world.a \
	libastra-store.a \
	libastra-engine.a \
	libastra-common.a \
	$(NO_WHOLE_ARCHIVES) \
	libastra-sim.a
libastraea_so_SOURCES = \
	src/slurm/cycle.c \
	src/slurm/cycle.h \
	src/slurm/cycle_users.c \
	src/slurm/host.c \
	src/slurm/host.h \
	src/slurm/warn.c \
	src/slurm/warn.h \
	src/slurm/ahead/forecaster.c \
	src/slurm/ahead/forecaster.h \
	src/slurm/ahead/forecaster_look.c \
	src/slurm/ahead/forecaster_priv.h \
	src/slurm/ahead/recorder.c \
	src/slurm/ahead/recorder.h \
	src/slurm/ahead/tuner.c \
	src/slurm/ahead/tuner.h \
	src/slurm/ahead/tuner_choose.c \
	src/slurm/ahead/tuner_priv.h \
	src/slurm/check/damage.c \
	src/slurm/check/damage.h \
	src/slurm/check/layout.c \
	src/slurm/check/layout.h \
	src/slurm/check/overlap.c \
	src/slurm/check/overlap.h \
	src/slurm/check/selfcheck.c \
	src/slurm/check/selfcheck.h \
	src/slurm/check/selfcheck_answer.c \
	src/slurm/check/selfcheck_priv.h \
	src/slurm/check/selfcheck_tables.c \
	src/slurm/check/stamp.c \
	src/slurm/check/stamp.h \
	src/slurm/compat/compat.h \
	src/slurm/compat/compat_client.h \
	src/slurm/compat/compat_topology.h \
	src/slurm/compat/slurm_headers.h \
	src/slurm/conf/config_kept.c \
	src/slurm/conf/config_kept.h \
	src/slurm/conf/site.c \
	src/slurm/conf/site.h \
	src/slurm/desk/adopter.c \
	src/slurm/desk/adopter.h \
	src/slurm/desk/publish.c \
	src/slurm/desk/publish.h \
	src/slurm/desk/publish_auction.c \
	src/slurm/desk/publish_auction.h \
	src/slurm/desk/publish_auth.c \
	src/slurm/desk/publish_auth.h \
	src/slurm/desk/publish_job.c \
	src/slurm/desk/publish_nodes.c \
	src/slurm/desk/publish_nodes.h \
	src/slurm/desk/publish_priv.h \
	src/slurm/desk/publish_socket.c \
	src/slurm/desk/told.c \
	src/slurm/desk/told.h \
	src/slurm/desk/told_file.c \
	src/slurm/desk/told_file.h \
	src/slurm/hooks/arrival.c \
	src/slurm/hooks/arrival.h \
	src/slurm/hooks/gate.c \
	src/slurm/hooks/gate.h \
	src/slurm/hooks/grace_end.c \
	src/slurm/hooks/grace_end.h \
	src/slurm/hooks/ledger_end.c \
	src/slurm/hooks/ledger_end.h \
	src/slurm/hooks/submit.c \
	src/slurm/hooks/submit.h \
	src/slurm/hooks/submit_priv.h \
	src/slurm/hooks/submit_read.c \
	src/slurm/hooks/submit_stock.c \
	src/slurm/hooks/submit_wish.c \
	src/slurm/in/accounts.c \
	src/slurm/in/accounts.h \
	src/slurm/in/arrays.c \
	src/slurm/in/arrays.h \
	src/slurm/in/ask.c \
	src/slurm/in/ask.h \
	src/slurm/in/barred.c \
	src/slurm/in/barred.h \
	src/slurm/in/binds.c \
	src/slurm/in/binds.h \
	src/slurm/in/blocked.c \
	src/slurm/in/blocked.h \
	src/slurm/in/charge.c \
	src/slurm/in/charge.h \
	src/slurm/in/classes.c \
	src/slurm/in/classes.h \
	src/slurm/in/constraint.c \
	src/slurm/in/constraint.h \
	src/slurm/in/each_job.c \
	src/slurm/in/each_job.h \
	src/slurm/in/extras.c \
	src/slurm/in/extras.h \
	src/slurm/in/gpus.c \
	src/slurm/in/gpus.h \
	src/slurm/in/limit.c \
	src/slurm/in/lost_launch.c \
	src/slurm/in/lost_launch.h \
	src/slurm/in/managed.c \
	src/slurm/in/managed.h \
	src/slurm/in/mixed.c \
	src/slurm/in/mixed.h \
	src/slurm/in/node_order.c \
	src/slurm/in/node_order.h \
	src/slurm/in/node_sets.c \
	src/slurm/in/node_sets.h \
	src/slurm/in/owner.c \
	src/slurm/in/owner.h \
	src/slurm/in/period.c \
	src/slurm/in/period.h \
	src/slurm/in/qos.c \
	src/slurm/in/qos.h \
	src/slurm/in/racks.c \
	src/slurm/in/racks.h \
	src/slurm/in/request.c \
	src/slurm/in/request.h \
	src/slurm/in/reserved.c \
	src/slurm/in/reserved.h \
	src/slurm/in/run_end.c \
	src/slurm/in/run_end.h \
	src/slurm/in/snapshot.c \
	src/slurm/in/snapshot.h \
	src/slurm/in/snapshot_job.c \
	src/slurm/in/snapshot_job.h \
	src/slurm/in/survivor.c \
	src/slurm/in/survivor.h \
	src/slurm/in/tenant_users.c \
	src/slurm/in/tenant_users.h \
	src/slurm/in/tenants.c \
	src/slurm/in/tenants.h \
	src/slurm/in/throttle.c \
	src/slurm/in/throttle.h \
	src/slurm/in/topology.c \
	src/slurm/in/topology.h \
	src/slurm/in/unleased.c \
	src/slurm/in/unleased.h \
	src/slurm/in/unleased_view.c \
	src/slurm/in/unleased_view.h \
	src/slurm/in/usage.c \
	src/slurm/in/usage.h \
	src/slurm/in/users.c \
	src/slurm/in/users.h \
	src/slurm/in/uses.c \
	src/slurm/in/uses.h \
	src/slurm/in/whole.c \
	src/slurm/in/whole.h \
	src/slurm/in/wish.c \
	src/slurm/in/wish.h \
	src/slurm/note/bid_files.c \
	src/slurm/note/bid_files.h \
	src/slurm/note/bids.c \
	src/slurm/note/bids.h \
	src/slurm/note/bids_priv.h \
	src/slurm/note/bids_state.c \
	src/slurm/note/marks.c \
	src/slurm/note/marks.h \
	src/slurm/note/note.c \
	src/slurm/note/note.h \
	src/slurm/note/parked.c \
	src/slurm/note/parked.h \
	src/slurm/note/progress.c \
	src/slurm/note/progress.h \
	src/slurm/note/progress_priv.h \
	src/slurm/note/progress_size.c \
	src/slurm/note/progress_state.c \
	src/slurm/note/told_state.c \
	src/slurm/note/told_state.h \
	src/slurm/out/advise.c \
	src/slurm/out/advise.h \
	src/slurm/out/apply.c \
	src/slurm/out/apply.h \
	src/slurm/out/checkpointed.c \
	src/slurm/out/checkpointed.h \
	src/slurm/out/env.c \
	src/slurm/out/env.h \
	src/slurm/out/errands.c \
	src/slurm/out/errands.h \
	src/slurm/out/mask.c \
	src/slurm/out/mask.h \
	src/slurm/out/notify.c \
	src/slurm/out/notify.h \
	src/slurm/out/park.c \
	src/slurm/out/park.h \
	src/slurm/out/preempt.c \
	src/slurm/out/preempt.h \
	src/slurm/out/priority.c \
	src/slurm/out/priority.h \
	src/slurm/out/recover.c \
	src/slurm/out/recover.h \
	src/slurm/out/resize.c \
	src/slurm/out/resize.h \
	src/slurm/out/revoke.c \
	src/slurm/out/revoke.h \
	src/slurm/out/saver.c \
	src/slurm/out/saver.h \
	src/slurm/out/start.c \
	src/slurm/out/start.h \
	src/slurm/out/waiting.c \
	src/slurm/out/waiting.h \
	src/slurm/round/bell.c \
	src/slurm/round/bell.h \
	src/slurm/round/diag.c \
	src/slurm/round/diag.h \
	src/slurm/round/pace.h \
	src/slurm/round/pool.c \
	src/slurm/round/pool.h

# The parser of astraea.conf, which sfair check has too.
noinst_LIBRARIES += libastra-conf.a
libastra_conf_a_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
libastra_conf_a_SOURCES = \
	src/slurm/check/steps.c \
	src/slurm/check/steps.h \
	src/slurm/conf/config.c \
	src/slurm/conf/config.h \
	src/slurm/conf/config_check.c \
	src/slurm/conf/config_diff.c \
	src/slurm/conf/config_diff.h \
	src/slurm/conf/config_priv.h \
	src/slurm/conf/config_tenants.c \
	src/slurm/conf/gpu_kinds.c \
	src/slurm/conf/gpu_kinds.h

# What the library and the plugins of one build carry. Only "make all" and the like
# begin with BUILT_SOURCES: astraea-rebuild makes the plugins alone.
BUILT_SOURCES += astra_stamp.h
$(libastraea_so_OBJECTS) $(sched_astraea_so_OBJECTS) \
$(burst_buffer_astraea_so_OBJECTS) $(priority_ltgf_so_OBJECTS) \
$(job_submit_astraea_so_OBJECTS): | astra_stamp.h
CLEANFILES += astra_stamp.h
.PHONY: stamp-again
stamp-again:
astra_stamp.h: stamp-again
	@sum=`{ (cd '$(srcdir)' && cat $(libastraea_so_SOURCES) \
		$(libastra_conf_a_SOURCES) $(libastra_engine_a_SOURCES) \
		$(libastra_store_a_SOURCES) $(libastra_proto_a_SOURCES) \
		$(libastra_server_a_SOURCES) \
		$(libastra_history_a_SOURCES)) && cat astra_config.h; } | \
		sha256sum | cut -c 1-16`; \
	echo "#define ASTRA_STAMP \"astraea-build:$$sum\"" >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
