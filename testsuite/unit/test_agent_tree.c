/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sfair-agent sees of a tree of processes: real ones. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/tree.h"
#include "testsuite/unit/unit.h"

enum { GENERATIONS = 3 };

/* A parent that ignores the signal, its child that catches it, and a child of
 * that, which would die of it. Each has a session of its own. */
struct family {
	pid_t pids[GENERATIONS];
};

static void leave(int signal)
{
	_exit(signal);
}

static void live(int fd, int generation)
{
	static void (*const handlers[])(int) = {SIG_IGN, leave, SIG_DFL};
	struct {
		int generation;
		pid_t pid;
	} told;
	pid_t next = 0;

	while (!next && generation < GENERATIONS - 1) {
		next = fork();
		generation += !next;
	}
	setsid();
	signal(SIGUSR1, handlers[generation]);
	told.generation = generation;
	told.pid = getpid();
	if (write(fd, &told, sizeof(told)) < 0)
		_exit(1);
	for (;;)
		pause();
}

static int begin(void **state)
{
	static struct family family;
	int ends[2], told[2];
	pid_t pid;

	if (pipe(ends) < 0)
		return -1;
	pid = fork();
	if (!pid)
		live(ends[1], 0);
	close(ends[1]);
	for (int i = 0; i < GENERATIONS; i++) {
		if (read(ends[0], told, sizeof(told)) != sizeof(told))
			return -1;
		family.pids[told[0]] = told[1];
	}
	close(ends[0]);
	*state = &family;
	return 0;
}

static int end(void **state)
{
	const struct family *family = *state;

	for (int i = 0; i < GENERATIONS; i++)
		kill(family->pids[i], SIGKILL);
	waitpid(family->pids[0], NULL, 0);
	return 0;
}

static bool among(pid_t pid, const pid_t *pids, long count)
{
	for (long i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void sessions_do_not_hide_processes(void **state)
{
	const struct family *family = *state;
	pid_t *pids;
	long count = agent_tree(getpid(), &pids);

	assert_int_equal(count, GENERATIONS);
	for (int i = 0; i < GENERATIONS; i++)
		assert_true(among(family->pids[i], pids, count));
	assert_false(among(getpid(), pids, count));
	free(pids);
	assert_int_equal(agent_tree(family->pids[0], &pids), 2);
	free(pids);
}

static void only_who_catches_it_gets_it(void **state)
{
	const struct family *family = *state;

	assert_false(agent_catches(family->pids[0], SIGUSR1));
	assert_false(agent_catches(family->pids[2], SIGUSR1));
	assert_int_equal(agent_tree_signal(getpid(), SIGUSR2), 0);
	assert_int_equal(agent_tree_signal(getpid(), SIGUSR1), 1);
	while (agent_catches(family->pids[1], SIGUSR1))
		usleep(1000); /* until it has ended */
	assert_int_equal(kill(family->pids[0], 0), 0);
	assert_int_equal(kill(family->pids[2], 0), 0);
}

static void a_process_that_is_gone_catches_nothing(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	waitpid(pid, NULL, 0);
	assert_false(agent_catches(pid, SIGUSR1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sessions_do_not_hide_processes,
						begin, end),
		cmocka_unit_test_setup_teardown(only_who_catches_it_gets_it,
						begin, end),
		cmocka_unit_test(a_process_that_is_gone_catches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
