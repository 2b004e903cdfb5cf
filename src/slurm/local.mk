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
	libastra-store.a \
	libastra-policy.a \
	libastra-common.a \
	$(NO_WHOLE_ARCHIVES)
libastraea_so_SOURCES = \
	src/slurm/adopter.c \
	src/slurm/adopter.h \
	src/slurm/advise.c \
	src/slurm/advise.h \
	src/slurm/aim.c \
	src/slurm/aim.h \
	src/slurm/apply.c \
	src/slurm/apply.h \
	src/slurm/arrival.c \
	src/slurm/arrival.h \
	src/slurm/ask.c \
	src/slurm/ask.h \
	src/slurm/arrays.c \
	src/slurm/arrays.h \
	src/slurm/bid_files.c \
	src/slurm/bid_files.h \
	src/slurm/bid_text.c \
	src/slurm/bid_text.h \
	src/slurm/bell.c \
	src/slurm/bell.h \
	src/slurm/bids.c \
	src/slurm/bids.h \
	src/slurm/bids_priv.h \
	src/slurm/bids_state.c \
	src/slurm/binds.c \
	src/slurm/binds.h \
	src/slurm/charge.c \
	src/slurm/charge.h \
	src/slurm/compat.h \
	src/slurm/compat_client.h \
	src/slurm/compat_topology.h \
	src/slurm/slurm_headers.h \
	src/slurm/config_kept.c \
	src/slurm/config_kept.h \
	src/slurm/constraint.c \
	src/slurm/constraint.h \
	src/slurm/coordinator.c \
	src/slurm/coordinator.h \
	src/slurm/cycle.c \
	src/slurm/cycle.h \
	src/slurm/cycle_users.c \
	src/slurm/damage.c \
	src/slurm/damage.h \
	src/slurm/diag.c \
	src/slurm/diag.h \
	src/slurm/env.c \
	src/slurm/env.h \
	src/slurm/expected.c \
	src/slurm/expected.h \
	src/slurm/forecaster.c \
	src/slurm/forecaster.h \
	src/slurm/forecaster_learned.c \
	src/slurm/forecaster_look.c \
	src/slurm/forecaster_priv.h \
	src/slurm/gate.c \
	src/slurm/gate.h \
	src/slurm/gpus.c \
	src/slurm/gpus.h \
	src/slurm/grace.c \
	src/slurm/grace.h \
	src/slurm/host.c \
	src/slurm/host.h \
	src/slurm/ledger.c \
	src/slurm/ledger.h \
	src/slurm/layout.c \
	src/slurm/layout.h \
	src/slurm/limit.c \
	src/slurm/lost_launch.c \
	src/slurm/lost_launch.h \
	src/slurm/managed.c \
	src/slurm/managed.h \
	src/slurm/mask.c \
	src/slurm/mask.h \
	src/slurm/node_order.c \
	src/slurm/node_order.h \
	src/slurm/pace.h \
	src/slurm/pairs.c \
	src/slurm/pairs.h \
	src/slurm/park.c \
	src/slurm/park.h \
	src/slurm/pool.c \
	src/slurm/pool.h \
	src/slurm/preempt.c \
	src/slurm/preempt.h \
	src/slurm/priority.c \
	src/slurm/priority.h \
	src/slurm/progress.c \
	src/slurm/progress.h \
	src/slurm/progress_priv.h \
	src/slurm/progress_size.c \
	src/slurm/progress_state.c \
	src/slurm/progress_table.c \
	src/slurm/publish.c \
	src/slurm/publish.h \
	src/slurm/publish_auction.c \
	src/slurm/publish_auction.h \
	src/slurm/publish_history.c \
	src/slurm/publish_job.c \
	src/slurm/publish_socket.c \
	src/slurm/publish_nodes.c \
	src/slurm/publish_nodes.h \
	src/slurm/publish_priv.h \
	src/slurm/qos.c \
	src/slurm/qos.h \
	src/slurm/racks.c \
	src/slurm/racks.h \
	src/slurm/recorder.c \
	src/slurm/recorder.h \
	src/slurm/recover.c \
	src/slurm/recover.h \
	src/slurm/reserved.c \
	src/slurm/reserved.h \
	src/slurm/request.c \
	src/slurm/resize.c src/slurm/resize.h \
	src/slurm/request.h \
	src/slurm/request_nodes.c \
	src/slurm/request_nodes.h \
	src/slurm/revoke.c \
	src/slurm/revoke.h \
	src/slurm/run_end.c \
	src/slurm/run_end.h \
	src/slurm/site.c \
	src/slurm/site.h \
	src/slurm/saver.c \
	src/slurm/saver.h \
	src/slurm/selfcheck.c \
	src/slurm/selfcheck.h \
	src/slurm/selfcheck_answer.c \
	src/slurm/selfcheck_priv.h \
	src/slurm/selfcheck_tables.c \
	src/slurm/snapshot.c \
	src/slurm/snapshot.h \
	src/slurm/snapshot_job.c \
	src/slurm/snapshot_job.h \
	src/slurm/stamp.c \
	src/slurm/stamp.h \
	src/slurm/start.c \
	src/slurm/start.h \
	src/slurm/start_size.c \
	src/slurm/start_size.h \
	src/slurm/submit.c \
	src/slurm/submit.h \
	src/slurm/submit_priv.h \
	src/slurm/submit_range.c \
	src/slurm/submit_read.c \
	src/slurm/submit_stock.c \
	src/slurm/submit_wish.c \
	src/slurm/survivor.c \
	src/slurm/survivor.h \
	src/slurm/blocked.c \
	src/slurm/blocked.h \
	src/slurm/account_shares.c \
	src/slurm/account_shares.h \
	src/slurm/accounts.c \
	src/slurm/accounts.h \
	src/slurm/tenant_users.c \
	src/slurm/tenant_users.h \
	src/slurm/tenants.c \
	src/slurm/tenants.h \
	src/slurm/topology.c \
	src/slurm/topology.h \
	src/slurm/throttle.c \
	src/slurm/throttle.h \
	src/slurm/told.c \
	src/slurm/told.h \
	src/slurm/told_file.c \
	src/slurm/told_file.h \
	src/slurm/told_state.c \
	src/slurm/told_state.h \
	src/slurm/unleased.c \
	src/slurm/unleased.h \
	src/slurm/unleased_arrival.c \
	src/slurm/unleased_arrival.h \
	src/slurm/unleased_view.c \
	src/slurm/unleased_view.h \
	src/slurm/usage.c \
	src/slurm/usage.h \
	src/slurm/users.c \
	src/slurm/users.h \
	src/slurm/warn.c \
	src/slurm/warn.h \
	src/slurm/waiting.c \
	src/slurm/waiting.h \
	src/slurm/wish.c \
	src/slurm/wish.h

# The parser of astraea.conf, which sfair check has too.
noinst_LIBRARIES += libastra-conf.a
libastra_conf_a_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
libastra_conf_a_SOURCES = \
	src/slurm/config.c \
	src/slurm/config.h \
	src/slurm/config_check.c \
	src/slurm/config_diff.c \
	src/slurm/config_diff.h \
	src/slurm/config_history.c \
	src/slurm/config_host.c \
	src/slurm/config_names.c \
	src/slurm/config_priv.h \
	src/slurm/config_tenants.c \
	src/slurm/config_twice.c \
	src/slurm/steps.c \
	src/slurm/steps.h

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
		$(libastra_conf_a_SOURCES) $(libastra_policy_a_SOURCES) \
		$(libastra_store_a_SOURCES) $(libastra_proto_a_SOURCES) \
		$(libastra_server_a_SOURCES) \
		$(libastra_history_a_SOURCES)) && cat astra_config.h; } | \
		sha256sum | cut -c 1-16`; \
	echo "#define ASTRA_STAMP \"astraea-build:$$sum\"" >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
