/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of ours beside those of slurmctld. */
#include <signal.h>

#include "src/common/thread.h"
#include "testsuite/unit/unit.h"

static void *look(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
	return NULL;
}

/* Or nobody would hear of a crash: the kernel ends a process at once whose
 * thread has a fault and blocks its signal. */
static void a_thread_gets_the_signals_of_its_faults_alone(void **state)
{
	sigset_t mask, before, after;
	pthread_t thread;

	(void)state;
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(astra_thread_begin(&thread, 1 << 20, look, &mask), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(sigismember(&mask, SIGTERM));
	assert_true(sigismember(&mask, SIGHUP));
	assert_true(sigismember(&mask, SIGCHLD));
	assert_false(sigismember(&mask, SIGSEGV));
	assert_false(sigismember(&mask, SIGBUS));
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < SIGRTMIN; i++)
		assert_int_equal(sigismember(&after, i),
				 sigismember(&before, i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_gets_the_signals_of_its_faults_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
