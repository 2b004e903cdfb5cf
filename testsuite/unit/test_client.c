/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsfair against the server as slurmctld runs it. What a process has read of
 * its environment it keeps, so each case is a process of its own. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "src/client/sfair.h"
#include "src/proto/query.h"
#include "src/slurm/desk/server.h"
#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/child.h"
#include "testsuite/unit/proto_munged.h"
#include "testsuite/unit/stranger.h"
#include "testsuite/unit/unit.h"

#define NOBODY 65534

static struct test_munged munged;
static char path[100], silent[100];

/* What the server was told; the children look, too. */
struct heard {
	atomic_int told, saved, bids;
	atomic_ullong done, step;
};

static struct heard *heard;

static int note(const struct astra_query *query, double now_sec,
		struct astra_error *err)
{
	(void)now_sec;
	(void)err;
	if (query->kind == ASTRA_QUERY_CHECKPOINTED) {
		atomic_store(&heard->step, query->said.step);
		atomic_fetch_add(&heard->saved, 1);
	} else {
		atomic_store(&heard->done, query->said.done);
		atomic_fetch_add(&heard->told, 1);
	}
	return 0;
}

static int bid(const struct astra_report *report,
	       const struct astra_query *query,
	       const struct astra_viewer *viewer, struct astra_error *err)
{
	(void)report;
	(void)viewer;
	if (query->bid.rho.count == 2)
		atomic_fetch_add(&heard->bids, 1);
	else
		return astra_error_set(err, "full");
	return 0;
}

static double now_sec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool comes_to(atomic_int *counter, int value)
{
	for (int i = 0; i < 300 && atomic_load(counter) < value; i++)
		usleep(10000);
	return atomic_load(counter) == value;
}

/* In the child: the environment of job 10, or of none. */
static void enter(const char *job, const char *socket)
{
	char end[32];

	snprintf(end, sizeof(end), "%lld", (long long)time(NULL) + 200);
	setenv("ASTRAEA_POOL", "gpu", 1);
	setenv("ASTRAEA_LEASE_END", end, 1);
	setenv("ASTRAEA_LEASE_GRACE", "60", 1);
	setenv("ASTRAEA_CHECKPOINT_SIGNAL", "USR1", 1);
	setenv("ASTRAEA_SOCKET", socket, 1);
	setenv("ASTRAEA_MUNGE_SOCKET", munged.socket, 1);
	setenv("SLURM_JOB_ID", job, 1);
	setenv("SLURM_PROCID", "0", 1);
}

static void in_child(void (*body)(void))
{
	atomic_store(&heard->told, 0);
	atomic_store(&heard->saved, 0);
	run_in_child(body);
}

static void ask_for_gpus(void)
{
	uint32_t before = 9;

	setenv("ASTRAEA_GPUS", "6", 1);
	setenv("ASTRAEA_GPUS_BEFORE", "2", 1);
	WANT(sfair_gpus(&before) == 6);
	WANT(before == 2);
	WANT(sfair_gpus(NULL) == 6);
}

static void ask_for_no_gpus(void)
{
	uint32_t before = 9;

	setenv("ASTRAEA_GPUS", "six", 1);
	WANT(sfair_gpus(&before) == 0);
	WANT(before == 0);
}

static void an_elastic_job_knows_its_size(void **state)
{
	(void)state;
	in_child(ask_for_gpus);
	in_child(ask_for_no_gpus);
}

struct size_change {
	atomic_int count;
	uint32_t from, to;
};

static void on_resize(uint32_t from, uint32_t to, void *arg)
{
	struct size_change *change = arg;

	change->from = from;
	change->to = to;
	atomic_fetch_add(&change->count, 1);
}

static void enter_resized(const char *now, const char *before)
{
	enter("10", path);
	setenv("ASTRAEA_GPUS", now, 1);
	setenv("ASTRAEA_GPUS_BEFORE", before, 1);
}

static void go_on_smaller(void)
{
	struct size_change change = {0};

	enter_resized("2", "6");
	WANT(!sfair_on_resize(NULL, NULL));
	WANT(!sfair_on_resize(on_resize, &change));
	WANT(change.count == 1 && change.from == 6 && change.to == 2);
	raise(SIGUSR1);
	WANT(comes_to(&change.count, 2));
	WANT(change.from == 2 && change.to == 0);
	raise(SIGUSR1);
	usleep(100000);
	WANT(change.count == 2);
}

static void go_on_alike(void)
{
	struct size_change change = {0};

	enter_resized("2", "2");
	WANT(!sfair_on_resize(on_resize, &change));
	WANT(change.count == 0);
}

static void begin_elastic(void)
{
	struct size_change change = {0};

	enter_resized("2", "0");
	WANT(!sfair_on_resize(on_resize, &change));
	WANT(change.count == 0);
	raise(SIGUSR1);
	WANT(comes_to(&change.count, 1));
	WANT(change.from == 2 && change.to == 0);
}

static void be_of_one_size(void)
{
	struct size_change change = {0};

	enter("10", path);
	WANT(!sfair_on_resize(on_resize, &change));
	WANT(!sfair_on_lease_end(NULL, NULL));
	raise(SIGUSR1);
	usleep(100000);
	WANT(change.count == 0);
}

static void an_elastic_job_is_told_of_its_size(void **state)
{
	(void)state;
	in_child(go_on_smaller);
	in_child(go_on_alike);
	in_child(begin_elastic);
	in_child(be_of_one_size);
}

static void call_outside(void)
{
	double begin = now_sec();
	char text[8] = "x";

	for (int i = 0; i < 1000; i++) {
		WANT(isinf(sfair_lease_remaining()));
		WANT(isinf(sfair_grace_remaining()));
		WANT(!sfair_on_lease_end(NULL, NULL));
		WANT(!sfair_lease_ending());
		WANT(!sfair_progress(1, 2, 1, 1));
		WANT(!sfair_checkpointed(1));
	}
	WANT(sfair_error(text, sizeof(text)) == 0 && !*text);
	WANT(now_sec() - begin < 10);
}

static void outside_a_lease_nothing_happens(void **state)
{
	(void)state;
	in_child(call_outside);
	assert_int_equal(atomic_load(&heard->told), 0);
}

static void ask_remaining(void)
{
	double left;

	enter("10", path);
	unsetenv("ASTRAEA_LEASE_END"); /* so that it waits for the answer */
	left = sfair_lease_remaining();
	WANT(left > 60 && left <= 300); /* a machine may be busy */
	usleep(300000);
	WANT(sfair_lease_remaining() < left);
}

static void ask_pinned(void)
{
	enter("11", path); /* the environment has an end all the same */
	WANT(isinf(sfair_lease_remaining()));
	WANT(sfair_checkpointed(1) == 0);
	WANT(isinf(sfair_lease_remaining()));
}

static void what_remains_is_asked_for(void **state)
{
	(void)state;
	in_child(ask_remaining);
	in_child(ask_pinned);
}

static void report_often(void)
{
	enter("10", path);
	for (uint64_t i = 1; i <= 100; i++)
		WANT(!sfair_progress(i, 1000, .5, (double)NAN));
	WANT(comes_to(&heard->told, 1));
	for (uint64_t i = 101; i <= 200; i++)
		WANT(!sfair_progress(i, 1000, .5, 1));
	usleep(300000);
	WANT(atomic_load(&heard->told) == 1);
}

static void progress_is_sent_now_and_then(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	in_child(report_often);
	assert_in_range(atomic_load(&heard->done), 1, 200);
}

static void say_nonsense(void)
{
	enter("10", path);
	WANT(sfair_progress(3, 2, 1, 1) < 0 && errno == EINVAL);
	WANT(sfair_progress(3, 0, -1, 1) < 0 && errno == EINVAL);
	WANT(sfair_progress(3, 0, (double)NAN, 1) < 0 && errno == EINVAL);
	WANT(sfair_progress(3, 0, (double)INFINITY, 1) < 0);
	WANT(sfair_progress(UINT64_MAX, 0, 1, 1) < 0 && errno == EINVAL);
	WANT(sfair_checkpointed(UINT64_MAX) < 0 && errno == EINVAL);
	WANT(!sfair_progress(3, 0, 0, (double)INFINITY));
}

static void numbers_that_are_none_are_refused_at_once(void **state)
{
	(void)state;
	in_child(say_nonsense);
}

static void save_once(void)
{
	enter("10", path);
	WANT(sfair_checkpointed(42) == 0);
}

static void save_in_an_earlier_run(void)
{
	char text[200];

	enter("21", path); /* its second run, says the report */
	WANT(sfair_checkpointed(42) < 0 && errno == ESTALE);
	WANT(sfair_error(text, sizeof(text)) > 0);
	WANT(strstr(text, "run 0 has ended"));
	WANT(sfair_lease_remaining() <= 0);
	WANT(sfair_checkpointed(43) < 0 && errno == ESTALE);
}

static void save_anothers(void)
{
	char text[200];

	WANT(!setgid(NOBODY) && !setuid(NOBODY));
	enter("10", path);
	WANT(sfair_checkpointed(42) < 0 && errno == EACCES);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "only its owner"));
}

static void a_checkpoint_is_known_when_the_call_returns(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	in_child(save_once);
	assert_int_equal(atomic_load(&heard->saved), 1);
	assert_int_equal(atomic_load(&heard->step), 42);
	in_child(save_in_an_earlier_run);
	in_child(save_anothers);
	assert_int_equal(atomic_load(&heard->saved), 0);
}

static void bid_for_the_own_app(void)
{
	char *json = NULL, text[200];

	enter("30", path);
	WANT(!sfair_offer(NULL, &json));
	WANT(json && strstr(json, "\"app\":\"search\""));
	free(json);
	WANT(!sfair_bid(NULL, "{\"rho\":{\"slot\":[2,1]}}", &json));
	WANT(strstr(json, "\"bid_sec\""));
	WANT(sfair_error(text, sizeof(text)) == 0);
	free(json);
	json = NULL;
	WANT(sfair_bid(NULL, "{\"rho\":{\"slot\":[-1]}}", &json) < 0);
	WANT(errno == EACCES && !json);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "a rho is a number from 0 on"));
	WANT(sfair_bid(NULL, "{\"rho\":{\"slot\":[1]}}", &json) < 0);
	WANT(errno == EIO); /* it cannot be kept */
	WANT(sfair_bid(NULL, "[1]", &json) < 0 && errno == EINVAL);
	WANT(sfair_bid(NULL, "", &json) < 0 && errno == EINVAL);
	WANT(sfair_offer("none", &json) < 0 && errno == EIO);
}

static void bid_outside(void)
{
	char *json = NULL, text[200];

	setenv("SFAIR_SOCKET", path, 1);
	setenv("SFAIR_MUNGE_SOCKET", munged.socket, 1);
	WANT(sfair_offer(NULL, &json) < 0 && errno == ENOENT);
	WANT(sfair_offer("search", &json) < 0 && errno == EIO);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "none of yours")); /* it is alice's */
}

static struct stranger stranger;

static void save_with_a_stranger(void)
{
	char text[300];

	enter("10", stranger.path);
	WANT(sfair_checkpointed(42) < 0 && errno == EIO);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "uid 4712 answers there"));
}

/* What it signs can be told from what it does not. */
static void save_past_a_stranger(void)
{
	char text[300];

	enter("10", stranger.path);
	setenv("ASTRAEA_ADDRESS", "4711@127.0.0.1:1", 1);
	WANT(sfair_checkpointed(42) < 0 && errno == EIO);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "127.0.0.1 port 1: "));
}

static void a_stranger_is_told_nothing(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(stranger_start(&stranger, STRANGER, 0), 0);
	in_child(save_with_a_stranger);
	in_child(save_past_a_stranger);
	stranger_stop(&stranger);
}

static void bid_to_nobody(void)
{
	char *json = NULL;

	WANT(sfair_offer("search", &json) < 0 && errno == EIO);
	WANT(!json);
}

static void an_agent_asks_and_bids(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	in_child(bid_for_the_own_app);
	assert_int_equal(atomic_load(&heard->bids), 1);
	in_child(bid_outside);
	in_child(bid_to_nobody);
}

static void save_as_rank_1(void)
{
	enter("10", path);
	setenv("RANK", "1", 1);
	WANT(!sfair_progress(1, 2, 1, 1));
	WANT(!sfair_checkpointed(1));
	usleep(200000);
}

static void save_as_rank_0(void)
{
	enter("10", path);
	setenv("RANK", "0", 1);
	setenv("SLURM_PROCID", "3", 1);
	WANT(!sfair_checkpointed(1));
}

static void one_process_speaks_for_the_job(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	in_child(save_as_rank_1);
	assert_int_equal(atomic_load(&heard->told) + atomic_load(&heard->saved),
			 0);
	in_child(save_as_rank_0);
	assert_int_equal(atomic_load(&heard->saved), 1);
}

static void call_nobody(void)
{
	double begin = now_sec(), left;

	enter("10", "/nonexistent/x.sock");
	for (uint64_t i = 0; i < 1000; i++) {
		WANT(!sfair_progress(i, 1000, 1, 1));
		left = sfair_lease_remaining();
		WANT(left > 150 && left <= 200); /* as it was told */
	}
	WANT(sfair_checkpointed(1) < 0 && (errno == EIO || errno == ETIMEDOUT));
	WANT(now_sec() - begin < 10); /* a second each would be 1000 */
}

static void call_the_silent(void)
{
	double begin = now_sec();

	enter("10", silent);
	for (uint64_t i = 0; i < 1000; i++)
		WANT(!sfair_progress(i, 1000, 1, 1));
	WANT(now_sec() - begin < 10); /* likewise */
	WANT(sfair_checkpointed(1) < 0 && errno == ETIMEDOUT);
	WANT(now_sec() - begin < 30); /* it would answer in 60 */
}

static void a_server_that_does_not_answer_delays_nobody(void **state)
{
	(void)state;
	in_child(call_nobody);
	in_child(call_the_silent);
}

static atomic_int calls, earlier, in_handler;
static pthread_t main_thread;

static void on_end(void *arg)
{
	WANT(arg == &calls);
	WANT(!pthread_equal(pthread_self(), main_thread));
	atomic_fetch_add(&calls, 1);
}

static void earlier_handler(int signal)
{
	(void)signal;
	atomic_store(&in_handler, sfair_lease_ending());
	atomic_fetch_add(&earlier, 1);
}

static void catch_signal(void)
{
	enter("10", path);
	main_thread = pthread_self();
	WANT(signal(SIGUSR1, earlier_handler) != SIG_ERR);
	WANT(!sfair_on_lease_end(on_end, &calls));
	WANT(!sfair_lease_ending() && isinf(sfair_grace_remaining()));
	raise(SIGUSR1);
	WANT(sfair_lease_ending());
	WANT(comes_to(&calls, 1));
	WANT(sfair_grace_remaining() > 55 && sfair_grace_remaining() <= 60);
	raise(SIGUSR1);
	usleep(100000);
	WANT(atomic_load(&calls) == 1);
	WANT(atomic_load(&earlier) == 2 && atomic_load(&in_handler) == 1);
}

/* First the flag only; who asks to be called later is called. */
static void catch_late(void)
{
	enter("10", path);
	main_thread = pthread_self();
	WANT(!sfair_on_lease_end(NULL, NULL));
	raise(SIGUSR1);
	WANT(sfair_lease_ending());
	WANT(!sfair_on_lease_end(on_end, &calls));
	WANT(comes_to(&calls, 1));
}

static char folder[] = "/tmp/astraea-client-XXXXXX";

/* The thread has called the store's hook, and has nothing else to do. */
static void catch_after_a_store(void)
{
	enter("10", path);
	main_thread = pthread_self();
	WANT(sfair_store_open(folder, "late", 1) != NULL);
	raise(SIGUSR1);
	usleep(100000);
	WANT(!sfair_on_lease_end(on_end, &calls));
	WANT(comes_to(&calls, 1));
	WANT(!sfair_on_lease_end(on_end, &calls)); /* the same one */
	usleep(100000);
	WANT(atomic_load(&calls) == 1);
}

static void catch_after_a_resize(void)
{
	struct size_change change = {0}, later = {0};

	enter_resized("2", "0");
	main_thread = pthread_self();
	WANT(!sfair_on_resize(on_resize, &change));
	raise(SIGUSR1);
	WANT(comes_to(&change.count, 1));
	WANT(!sfair_on_lease_end(on_end, &calls));
	WANT(comes_to(&calls, 1));
	WANT(!sfair_on_resize(on_resize, &later));
	WANT(comes_to(&later.count, 1));
	WANT(later.from == 2 && later.to == 0);
	WANT(change.count == 1 && atomic_load(&calls) == 1);
}

/* Its parent's thread has called all; the child has a thread of its own. */
static void catch_in_a_fork(void)
{
	int status = -1;
	pid_t pid;

	catch_after_a_store();
	pid = fork();
	if (!pid) {
		main_thread = pthread_self();
		WANT(!sfair_on_lease_end(on_end, &calls));
		WANT(comes_to(&calls, 2));
		_exit(0);
	}
	WANT(waitpid(pid, &status, 0) == pid && !status);
}

static void without_a_signal(void)
{
	enter("10", path);
	setenv("ASTRAEA_CHECKPOINT_SIGNAL", "none", 1);
	WANT(!sfair_on_lease_end(on_end, &calls));
	WANT(!sfair_lease_ending());
}

static void the_checkpoint_signal_calls_back_once(void **state)
{
	(void)state;
	in_child(catch_signal);
	in_child(catch_late);
	in_child(without_a_signal);
}

static void a_callback_that_is_set_after_the_signal_is_called(void **state)
{
	char command[80];

	(void)state;
	assert_non_null(mkdtemp(folder));
	in_child(catch_after_a_store);
	in_child(catch_after_a_resize);
	in_child(catch_in_a_fork);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void report_and_fork(void)
{
	int status = -1;
	pid_t pid;

	enter("10", path);
	WANT(!sfair_checkpointed(1));
	pid = fork();
	if (!pid) {
		WANT(!sfair_checkpointed(2));
		_exit(0);
	}
	WANT(waitpid(pid, &status, 0) == pid && !status);
	WANT(!sfair_checkpointed(3));
}

static void a_fork_may_go_on_talking(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	in_child(report_and_fork);
	assert_int_equal(atomic_load(&heard->saved), 3);
}

static struct astra_report *present_report(void)
{
	struct astra_report *report = sample_report();

	sample_report_auction(report);
	report->jobs[0].of.lease_end_sec = (double)time(NULL) + 300;
	report->jobs[2].run = 1;
	return report;
}

static int listen_silently(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(silent, sizeof(silent), "%s/silent.sock", munged.folder);
	memcpy(addr.sun_path, silent, sizeof(silent));
	return bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0
		       ? -1
		       : listen(fd, 16);
}

/* A fork while the server's thread begins may hang in the child under a sanitizer:
 * wait until it has answered somebody. */
static void wait_for_server(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const uint32_t none = 0;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte;

	memcpy(addr.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
	    send(fd, &none, sizeof(none), MSG_NOSIGNAL) > 0)
		(void)recv(fd, &byte, 1, 0);
	close(fd);
	usleep(500000);
}

static int setup(void **state)
{
	const struct astra_server_options options = {
		.path = path,
		.munge_socket = munged.socket,
		.slurm_uid = 64030,
		.note = note,
		.bid = bid,
	};
	struct astra_error err = {""};

	(void)state;
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	astra_server_publish(present_report());
	if (listen_silently() < 0 || astra_server_start(&options, &err) < 0) {
		print_error("%s\n", err.text);
		return -1;
	}
	wait_for_server();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	astra_server_stop();
	unlink(silent);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_elastic_job_knows_its_size),
		cmocka_unit_test(an_elastic_job_is_told_of_its_size),
		cmocka_unit_test(outside_a_lease_nothing_happens),
		cmocka_unit_test(what_remains_is_asked_for),
		cmocka_unit_test(progress_is_sent_now_and_then),
		cmocka_unit_test(numbers_that_are_none_are_refused_at_once),
		cmocka_unit_test(a_checkpoint_is_known_when_the_call_returns),
		cmocka_unit_test(an_agent_asks_and_bids),
		cmocka_unit_test(a_stranger_is_told_nothing),
		cmocka_unit_test(one_process_speaks_for_the_job),
		cmocka_unit_test(a_server_that_does_not_answer_delays_nobody),
		cmocka_unit_test(the_checkpoint_signal_calls_back_once),
		cmocka_unit_test(
			a_callback_that_is_set_after_the_signal_is_called),
		cmocka_unit_test(a_fork_may_go_on_talking),
	};
	int rc;

#ifdef __SANITIZE_THREAD__
	/* Each test is a process of its own beside the server's thread. */
	fputs("SKIP: TSan has no threads in forked children\n", stderr);
	return 77;
#endif
	heard = mmap(NULL, sizeof(*heard), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (heard == MAP_FAILED)
		return 1;
	if (test_munged_start(&munged) < 0) {
		fputs("SKIP: munged cannot be started here\n", stderr);
		return 77;
	}
	rc = cmocka_run_group_tests(tests, setup, teardown);
	test_munged_stop(&munged);
	return rc;
}
