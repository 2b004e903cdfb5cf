# SPDX-License-Identifier: GPL-2.0-or-later
# A unit test is declared in the local.mk of the folder that it tests:
#   check_PROGRAMS += test_x
#   test_x_SOURCES = testsuite/unit/test_x.c
#   test_x_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
#   test_x_LDADD = libastra-engine.a libastra-common.a $(CMOCKA_LIBS)

UNIT_LIBS = libastra-vcluster.a libastra-world.a libastra-engine.a \
	libastra-common.a $(CMOCKA_LIBS)
UNIT_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)

# A cluster in memory, which the engine's tests run on.
check_LIBRARIES = libastra-vcluster.a
libastra_vcluster_a_CFLAGS = $(UNIT_CFLAGS)
libastra_vcluster_a_SOURCES = testsuite/unit/vcluster.c \
	testsuite/unit/vcluster.h \
	testsuite/unit/unit.h

check_PROGRAMS += test_utility
test_utility_SOURCES = testsuite/unit/test_utility.c testsuite/unit/unit.h
test_utility_CFLAGS = $(UNIT_CFLAGS)
test_utility_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_placement
test_placement_SOURCES = testsuite/unit/test_placement.c \
	testsuite/unit/unit.h
test_placement_CFLAGS = $(UNIT_CFLAGS)
test_placement_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine
test_engine_SOURCES = testsuite/unit/test_engine.c \
	testsuite/unit/unit.h
test_engine_CFLAGS = $(UNIT_CFLAGS)
test_engine_LDADD = $(UNIT_LIBS)

dist_check_SCRIPTS += \
	testsuite/lib/check-docs \
	testsuite/lib/check-exports \
	testsuite/lib/check-harness \
	testsuite/lib/check-sources
# Scripts and what they need: a new one is distributed as it is.
EXTRA_DIST += testsuite/run.sh testsuite/lib testsuite/live testsuite/long \
	testsuite/packages testsuite/faults

# Golden decisions of sfairsim.
dist_check_SCRIPTS += testsuite/golden/run-golden.sh \
	testsuite/golden/bad-traces.sh
EXTRA_DIST += testsuite/golden/compare.py testsuite/golden/ltgf \
	testsuite/golden/ogasched \
	testsuite/golden/invalid

check_PROGRAMS += test_allot
test_allot_SOURCES = testsuite/unit/test_allot.c \
	testsuite/unit/unit.h
test_allot_CFLAGS = $(UNIT_CFLAGS)
test_allot_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_allot_promise
test_allot_promise_SOURCES = testsuite/unit/test_allot_promise.c \
	testsuite/unit/unit.h
test_allot_promise_CFLAGS = $(UNIT_CFLAGS)
test_allot_promise_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_idle
test_idle_SOURCES = testsuite/unit/test_idle.c \
	testsuite/unit/unit.h
test_idle_CFLAGS = $(UNIT_CFLAGS)
test_idle_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_ogas_policy test_ogas_project test_ogas_regret \
	test_ogas_state test_ogasched test_ogas_classes test_ogas_reward
test_ogas_reward_SOURCES = testsuite/unit/test_ogas_reward.c \
	testsuite/bench/ogas_earn.h \
	testsuite/bench/ogas_instance.h \
	testsuite/unit/unit.h
test_ogas_reward_CFLAGS = $(UNIT_CFLAGS)
test_ogas_reward_LDADD = $(UNIT_LIBS)
test_ogas_policy_SOURCES = testsuite/unit/test_ogas_policy.c \
	testsuite/unit/unit.h
test_ogas_policy_CFLAGS = $(UNIT_CFLAGS)
test_ogas_policy_LDADD = $(UNIT_LIBS)
test_ogas_project_SOURCES = testsuite/unit/test_ogas_project.c \
	testsuite/unit/unit.h
test_ogas_project_CFLAGS = $(UNIT_CFLAGS)
test_ogas_project_LDADD = $(UNIT_LIBS)
test_ogas_regret_SOURCES = testsuite/unit/test_ogas_regret.c \
	testsuite/unit/ogas_world.h \
	testsuite/unit/unit.h
test_ogas_regret_CFLAGS = $(UNIT_CFLAGS)
test_ogas_regret_LDADD = $(UNIT_LIBS)
test_ogas_classes_SOURCES = testsuite/unit/test_ogas_classes.c \
	testsuite/unit/unit.h
test_ogas_classes_CFLAGS = $(UNIT_CFLAGS)
test_ogas_classes_LDADD = $(UNIT_LIBS)
test_ogas_state_SOURCES = testsuite/unit/test_ogas_state.c \
	testsuite/unit/ogas_world.h \
	testsuite/unit/unit.h
test_ogas_state_CFLAGS = $(UNIT_CFLAGS)
test_ogas_state_LDADD = $(UNIT_LIBS)
test_ogasched_SOURCES = testsuite/unit/test_ogasched.c \
	testsuite/unit/ogas_world.h \
	testsuite/unit/unit.h
test_ogasched_CFLAGS = $(UNIT_CFLAGS)
test_ogasched_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_ltgf
test_ltgf_SOURCES = testsuite/unit/test_ltgf.c testsuite/unit/unit.h
test_ltgf_CFLAGS = $(UNIT_CFLAGS)
test_ltgf_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_fairness
test_fairness_SOURCES = testsuite/unit/test_fairness.c testsuite/unit/unit.h
test_fairness_CFLAGS = $(UNIT_CFLAGS)
test_fairness_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_options
test_options_SOURCES = testsuite/unit/test_options.c testsuite/unit/unit.h
test_options_CFLAGS = $(UNIT_CFLAGS)
test_options_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_idmap
test_idmap_SOURCES = testsuite/unit/test_idmap.c testsuite/unit/unit.h
test_idmap_CFLAGS = $(UNIT_CFLAGS)
test_idmap_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_shared_name
test_shared_name_SOURCES = testsuite/unit/test_shared_name.c \
	testsuite/unit/unit.h
test_shared_name_CFLAGS = $(UNIT_CFLAGS)
test_shared_name_LDADD = libastra-store.a $(UNIT_LIBS)

check_PROGRAMS += test_errands
test_errands_SOURCES = testsuite/unit/test_errands.c testsuite/unit/unit.h \
	src/slurm/out/errands.c src/slurm/out/errands.h
test_errands_CFLAGS = $(UNIT_CFLAGS)
test_errands_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_saver
test_saver_SOURCES = testsuite/unit/test_saver.c testsuite/unit/unit.h
test_saver_CFLAGS = $(UNIT_CFLAGS)
test_saver_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_grow
test_grow_SOURCES = testsuite/unit/test_grow.c testsuite/unit/unit.h
test_grow_CFLAGS = $(UNIT_CFLAGS)
test_grow_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_plan
test_plan_SOURCES = testsuite/unit/test_plan.c testsuite/unit/unit.h
test_plan_CFLAGS = $(UNIT_CFLAGS)
test_plan_LDADD = $(UNIT_LIBS)

# make bench: medians and ratios, no part of make check.
EXTRA_PROGRAMS += bench_round bench_engine bench_fairness bench_sim
BENCH += bench_round bench_engine bench_fairness bench_sim
CLEANFILES += bench_round bench_engine bench_fairness bench_sim
EXTRA_PROGRAMS += bench_holds
BENCH += bench_holds
CLEANFILES += bench_holds
bench_holds_SOURCES = testsuite/bench/bench_holds.c testsuite/bench/bench.h \
	testsuite/bench/bench_world.h
bench_holds_LDADD = libastra-world.a libastra-engine.a libastra-common.a
EXTRA_PROGRAMS += bench_ogasched
BENCH += bench_ogasched
CLEANFILES += bench_ogasched
bench_ogasched_SOURCES = testsuite/bench/bench_ogasched.c \
	testsuite/bench/bench.h testsuite/bench/ogas_instance.h
bench_ogasched_LDADD = libastra-engine.a libastra-common.a
EXTRA_PROGRAMS += bench_ogas_reward
BENCH += bench_ogas_reward
CLEANFILES += bench_ogas_reward
bench_ogas_reward_SOURCES = testsuite/bench/bench_ogas_reward.c \
	testsuite/bench/ogas_earn.h testsuite/bench/ogas_instance.h
bench_ogas_reward_LDADD = libastra-engine.a libastra-common.a
BENCH_SHELL += testsuite/bench/bench-locks.sh \
	testsuite/bench/bench-unmanaged.sh testsuite/bench/bench-scale.sh \
	testsuite/bench/bench-queries.sh
EXTRA_DIST += $(BENCH_SHELL) testsuite/bench/live.sh testsuite/bench/load.py
bench_engine_SOURCES = testsuite/bench/bench_engine.c \
	testsuite/bench/bench.h testsuite/bench/bench_world.h
bench_engine_LDADD = libastra-world.a libastra-engine.a libastra-common.a
bench_round_SOURCES = testsuite/bench/bench_round.c testsuite/bench/bench.h
bench_round_LDADD = libastra-engine.a libastra-common.a
bench_fairness_SOURCES = testsuite/bench/bench_fairness.c \
	testsuite/bench/bench.h
bench_fairness_LDADD = libastra-engine.a libastra-common.a

bench_sim_SOURCES = testsuite/bench/bench_sim.c testsuite/bench/bench.h
bench_sim_LDADD = $(SIM_LIBS) libastra-engine.a libastra-common.a

check_PROGRAMS += test_ask
test_ask_SOURCES = testsuite/unit/test_ask.c src/slurm/in/ask.c \
	testsuite/unit/unit.h
test_ask_CFLAGS = $(UNIT_CFLAGS)
test_ask_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_throttle
test_throttle_SOURCES = testsuite/unit/test_throttle.c src/slurm/in/throttle.c \
	testsuite/unit/unit.h
test_throttle_CFLAGS = $(UNIT_CFLAGS)
test_throttle_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_unleased
test_unleased_SOURCES = testsuite/unit/test_unleased.c src/slurm/in/unleased.c \
	testsuite/unit/unit.h
test_unleased_CFLAGS = $(UNIT_CFLAGS)
test_unleased_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_gpu_kinds
test_gpu_kinds_SOURCES = testsuite/unit/test_gpu_kinds.c \
	testsuite/unit/unit.h src/slurm/conf/gpu_kinds.c \
	src/slurm/conf/gpu_kinds.h
test_gpu_kinds_CFLAGS = $(UNIT_CFLAGS)
test_gpu_kinds_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_stated
test_stated_SOURCES = testsuite/unit/test_stated.c testsuite/unit/unit.h
test_stated_CFLAGS = $(UNIT_CFLAGS)
test_stated_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_scaling
test_scaling_SOURCES = testsuite/unit/test_scaling.c testsuite/unit/unit.h
test_scaling_CFLAGS = $(UNIT_CFLAGS)
test_scaling_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_speed
test_speed_SOURCES = testsuite/unit/test_speed.c testsuite/unit/unit.h
test_speed_CFLAGS = $(UNIT_CFLAGS)
test_speed_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_plausible
test_plausible_SOURCES = testsuite/unit/test_plausible.c testsuite/unit/unit.h
test_plausible_CFLAGS = $(UNIT_CFLAGS)
test_plausible_LDADD = $(UNIT_LIBS)
check_PROGRAMS += test_guard
test_guard_SOURCES = testsuite/unit/test_guard.c testsuite/unit/unit.h
test_guard_CFLAGS = $(UNIT_CFLAGS)
test_guard_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_account_tree
test_account_tree_SOURCES = testsuite/unit/test_account_tree.c
test_account_tree_CFLAGS = $(UNIT_CFLAGS)
test_account_tree_LDADD = $(UNIT_LIBS)
check_PROGRAMS += test_users
test_users_SOURCES = testsuite/unit/test_users.c src/slurm/in/users.c \
	src/slurm/in/users.h testsuite/unit/unit.h
test_users_CFLAGS = $(UNIT_CFLAGS)
test_users_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_diag
test_diag_SOURCES = testsuite/unit/test_diag.c src/slurm/round/diag.c \
	testsuite/unit/unit.h
test_diag_CFLAGS = $(UNIT_CFLAGS)
test_diag_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_wish
test_wish_SOURCES = testsuite/unit/test_wish.c src/slurm/in/wish.c \
	testsuite/unit/unit.h
test_wish_CFLAGS = $(UNIT_CFLAGS)
test_wish_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_black_box
test_black_box_SOURCES = testsuite/unit/test_black_box.c \
	testsuite/unit/unit.h
test_black_box_CFLAGS = $(UNIT_CFLAGS)
test_black_box_LDADD = libastra-store.a $(UNIT_LIBS)

check_PROGRAMS += test_state_file
test_state_file_SOURCES = testsuite/unit/test_state_file.c \
	testsuite/unit/unit.h
test_state_file_CFLAGS = $(UNIT_CFLAGS)
test_state_file_LDADD = libastra-store.a $(UNIT_LIBS)

check_PROGRAMS += test_caps
test_caps_SOURCES = testsuite/unit/test_caps.c testsuite/unit/unit.h
test_caps_CFLAGS = $(UNIT_CFLAGS)
test_caps_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_charge
test_charge_SOURCES = testsuite/unit/test_charge.c \
	testsuite/unit/unit.h
test_charge_CFLAGS = $(UNIT_CFLAGS)
test_charge_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_policy_change
test_policy_change_SOURCES = testsuite/unit/test_policy_change.c \
	testsuite/unit/unit.h
test_policy_change_CFLAGS = $(UNIT_CFLAGS)
test_policy_change_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_state
test_engine_state_SOURCES = testsuite/unit/test_engine_state.c \
	testsuite/unit/unit.h
test_engine_state_CFLAGS = $(UNIT_CFLAGS)
test_engine_state_LDADD = libastra-store.a $(UNIT_LIBS)
EXTRA_DIST += testsuite/unit/state/box1 \
	testsuite/unit/state/history1.sql \
	testsuite/unit/state/v4

check_PROGRAMS += test_engine_snapshot
test_engine_snapshot_SOURCES = testsuite/unit/test_engine_snapshot.c \
	testsuite/unit/unit.h
test_engine_snapshot_CFLAGS = $(UNIT_CFLAGS)
test_engine_snapshot_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_image
test_engine_image_SOURCES = testsuite/unit/test_engine_image.c \
	testsuite/unit/member_rows.h \
	testsuite/unit/unit.h
test_engine_image_CFLAGS = $(UNIT_CFLAGS)
test_engine_image_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_policy_contract
test_policy_contract_SOURCES = testsuite/unit/test_policy_contract.c \
	testsuite/unit/unit.h
test_policy_contract_CFLAGS = $(UNIT_CFLAGS)
test_policy_contract_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_clock
test_engine_clock_SOURCES = testsuite/unit/test_engine_clock.c \
	testsuite/unit/unit.h
test_engine_clock_CFLAGS = $(UNIT_CFLAGS)
test_engine_clock_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_changes
test_changes_SOURCES = testsuite/unit/test_changes.c \
	testsuite/unit/unit.h
test_changes_CFLAGS = $(UNIT_CFLAGS)
test_changes_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_crowd
test_engine_crowd_SOURCES = testsuite/unit/test_engine_crowd.c \
	testsuite/unit/unit.h
test_engine_crowd_CFLAGS = $(UNIT_CFLAGS)
test_engine_crowd_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_elastic
test_elastic_SOURCES = testsuite/unit/test_elastic.c \
	testsuite/unit/unit.h
test_elastic_CFLAGS = $(UNIT_CFLAGS)
test_elastic_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_hold
test_engine_hold_SOURCES = testsuite/unit/test_engine_hold.c \
	testsuite/unit/unit.h
test_engine_hold_CFLAGS = $(UNIT_CFLAGS)
test_engine_hold_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_users
test_engine_users_SOURCES = testsuite/unit/test_engine_users.c \
	testsuite/unit/unit.h
test_engine_users_CFLAGS = $(UNIT_CFLAGS)
test_engine_users_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_await
test_await_SOURCES = testsuite/unit/test_await.c \
	testsuite/unit/unit.h
test_await_CFLAGS = $(UNIT_CFLAGS)
test_await_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_keep
test_keep_SOURCES = testsuite/unit/test_keep.c \
	testsuite/unit/unit.h
test_keep_CFLAGS = $(UNIT_CFLAGS)
test_keep_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_rights
test_rights_SOURCES = testsuite/unit/test_rights.c \
	testsuite/unit/unit.h
test_rights_CFLAGS = $(UNIT_CFLAGS)
test_rights_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_budget
test_budget_SOURCES = testsuite/unit/test_budget.c \
	testsuite/unit/unit.h
test_budget_CFLAGS = $(UNIT_CFLAGS)
test_budget_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_forty_terms
test_forty_terms_SOURCES = testsuite/unit/test_forty_terms.c \
	testsuite/unit/unit.h
test_forty_terms_CFLAGS = $(UNIT_CFLAGS)
test_forty_terms_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_earns
test_earns_SOURCES = testsuite/unit/test_earns.c \
	testsuite/unit/unit.h
test_earns_CFLAGS = $(UNIT_CFLAGS)
test_earns_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_adopt
test_engine_adopt_SOURCES = testsuite/unit/test_engine_adopt.c \
	testsuite/unit/unit.h
test_engine_adopt_CFLAGS = $(UNIT_CFLAGS)
test_engine_adopt_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_engine_leave test_engine_nodes test_node_names
check_PROGRAMS += test_first_start
test_first_start_SOURCES = testsuite/unit/test_first_start.c \
	testsuite/unit/unit.h
test_first_start_CFLAGS = $(UNIT_CFLAGS)
test_first_start_LDADD = $(UNIT_LIBS)
test_engine_nodes_SOURCES = testsuite/unit/test_engine_nodes.c \
	testsuite/unit/unit.h
test_engine_nodes_CFLAGS = $(UNIT_CFLAGS)
test_engine_nodes_LDADD = $(UNIT_LIBS)
test_engine_leave_SOURCES = testsuite/unit/test_engine_leave.c \
	testsuite/unit/small_pool.h \
	testsuite/unit/unit.h
test_engine_leave_CFLAGS = $(UNIT_CFLAGS)
test_engine_leave_LDADD = $(UNIT_LIBS)
test_node_names_SOURCES = testsuite/unit/test_node_names.c \
	testsuite/unit/small_pool.h \
	testsuite/unit/unit.h
test_node_names_CFLAGS = $(UNIT_CFLAGS)
test_node_names_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_simulate
test_simulate_SOURCES = testsuite/unit/test_simulate.c testsuite/unit/unit.h
test_simulate_CFLAGS = $(UNIT_CFLAGS)
test_simulate_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_sim_work
test_sim_work_SOURCES = testsuite/unit/test_sim_work.c testsuite/unit/unit.h
test_sim_work_CFLAGS = $(UNIT_CFLAGS)
test_sim_work_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

# Statements about random traces.
check_PROGRAMS += test_sim_shares
test_sim_shares_SOURCES = testsuite/unit/test_sim_shares.c
test_sim_shares_CFLAGS = $(UNIT_CFLAGS)
test_sim_shares_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_sim_gang
test_sim_gang_SOURCES = testsuite/unit/test_sim_gang.c
test_sim_gang_CFLAGS = $(UNIT_CFLAGS)
test_sim_gang_LDADD = $(SIM_LIBS) $(UNIT_LIBS)

check_PROGRAMS += test_sim_properties test_sim_decide
test_sim_properties_SOURCES = testsuite/unit/test_sim_properties.c \
	testsuite/unit/sim_random.h \
	testsuite/unit/unit.h
test_sim_properties_CFLAGS = $(UNIT_CFLAGS)
test_sim_properties_LDADD = $(SIM_LIBS) $(UNIT_LIBS)
test_sim_decide_SOURCES = testsuite/unit/test_sim_decide.c \
	testsuite/unit/sim_random.h \
	testsuite/unit/unit.h
test_sim_decide_CFLAGS = $(UNIT_CFLAGS) $(JANSSON_CFLAGS)
test_sim_decide_LDADD = libastra-decide.a $(SIM_LIBS) $(UNIT_LIBS)

# Its sources are built by long/95-fuzz.sh, with clang.
EXTRA_DIST += testsuite/fuzz/fuzz_query.c testsuite/fuzz/query.dict \
	testsuite/fuzz/corpus
