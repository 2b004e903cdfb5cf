/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script's process group gets ASTRA_FORWARD_SIGNAL: processes that catch the
 * checkpoint signal get it, the others stay as they are. */
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/common/forwarder.h"
#include "testsuite/unit/unit.h"

enum kind { CATCHES, WAITS, DEAF, IGNORES, SRUN };

static void got(int number)
{
	(void)number;
	_exit(7);
}

/* Begin a process in the caller's group, which writes a byte to ready once it
 * is as its kind says. A process that gets the signal ends with 7. */
static pid_t begin(enum kind kind, int ready)
{
	pid_t pid = fork();
	sigset_t set;
	int number;

	if (pid)
		return pid;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (kind == CATCHES || kind == SRUN)
		signal(SIGUSR1, got);
	if (kind == WAITS)
		sigprocmask(SIG_BLOCK, &set, NULL);
	if (kind == IGNORES)
		signal(SIGUSR1, SIG_IGN);
	if (kind == SRUN)
		prctl(PR_SET_NAME, "srun");
	if (write(ready, "", 1) != 1)
		_exit(1);
	if (kind == WAITS)
		_exit(sigwait(&set, &number) ? 1 : 7);
	for (;;)
		pause();
}

static volatile sig_atomic_t leader_got;

static void leader_catches(int number)
{
	(void)number;
	leader_got = 1;
}

/* Be the leader of a group with a process of each kind, and signal the group.
 * Returns a bit for each process that ended by the signal, and 16 if the leader
 * got the signal. */
static int script(const enum kind *kinds, size_t count)
{
	pid_t pids[4];
	int ready[2], status, result = 0;
	char byte;

	setpgid(0, 0);
	signal(SIGUSR1, leader_catches);
	if (pipe(ready) < 0 || astra_forwarder_start(SIGUSR1) < 0)
		return 100;
	for (size_t i = 0; i < count; i++) {
		pids[i] = begin(kinds[i], ready[1]);
		if (read(ready[0], &byte, 1) != 1)
			return 101;
	}
	/* No child of the script. */
	if (waitpid(-1, NULL, WNOHANG) != 0)
		return 102;
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			killpg(0, ASTRA_FORWARD_SIGNAL);
		if (kinds[i] != CATCHES && kinds[i] != WAITS)
			continue;
		while (waitpid(pids[i], &status, 0) < 0)
			;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
			result |= 1 << i;
	}
	for (size_t i = 0; i < count; i++) {
		if (kinds[i] == CATCHES || kinds[i] == WAITS)
			continue;
		kill(pids[i], SIGKILL);
		while (waitpid(pids[i], &status, 0) < 0)
			;
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			result |= 1 << i;
	}
	return result | (leader_got ? 16 : 0);
}

static int run_script(const enum kind *kinds, size_t count)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		alarm(60);
		_exit(script(kinds, count));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_signal_reaches_who_catches_it_and_kills_nobody(void **state)
{
	static const enum kind kinds[] = {DEAF, IGNORES, WAITS, CATCHES};

	(void)state;
	assert_int_equal(run_script(kinds, 4), 16 | 8 | 4);
}

static void beside_an_srun_the_shell_is_left_alone(void **state)
{
	static const enum kind kinds[] = {SRUN, DEAF, CATCHES};

	(void)state;
	assert_int_equal(run_script(kinds, 3), 4);
}

static void a_process_that_is_gone_catches_nothing(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_false(astra_process_catches(pid, SIGUSR1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_signal_reaches_who_catches_it_and_kills_nobody),
		cmocka_unit_test(beside_an_srun_the_shell_is_left_alone),
		cmocka_unit_test(a_process_that_is_gone_catches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
