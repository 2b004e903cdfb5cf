/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Last store as a program calls it. What a process has read of its
 * environment it keeps, so cases are processes of their own.
 *
 * usage, for test_sfair.py:
 *   test_store load FOLDER NAME		prints step and data
 *   test_store put FOLDER NAME STEP TEXT
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "src/client/lineage.h"
#include "src/client/sfair.h"
#include "testsuite/unit/child.h"

#define SIZE_MOST 200000
#define KILLS 200

static char folder[64];

static int begin(void **state)
{
	(void)state;
	/* What is killed is a process, and memory outlives it. */
	snprintf(folder, sizeof(folder), "%s/test-store.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	(void)state;
	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

static bool there_is(const char *suffix)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;

	while ((entry = readdir(dir)))
		found |= strstr(entry->d_name, suffix) != NULL;
	closedir(dir);
	return found;
}

/* Sizes and contents go by the step. */

static size_t size_of(uint64_t step)
{
	return (size_t)(step * 7919 % SIZE_MOST);
}

static void fill(char *data, uint64_t step)
{
	for (size_t i = 0; i < size_of(step); i++)
		data[i] = (char)(step * 131 + i);
}

static bool is_whole(const char *data, size_t size, uint64_t step)
{
	static char want[SIZE_MOST];

	fill(want, step);
	return size == size_of(step) && !memcmp(data, want, size);
}

static struct sfair_store *open_it(void)
{
	struct sfair_store *store = sfair_store_open(folder, "k", 2);

	if (!store) {
		char text[600];

		sfair_error(text, sizeof(text));
		fprintf(stderr, "%s\n", text);
	}
	WANT(store);
	return store;
}

static void put(struct sfair_store *store, uint64_t step)
{
	static char data[SIZE_MOST];

	fill(data, step);
	WANT(!sfair_store_put(store, step, data, size_of(step)));
}

/* 0: none. */
static uint64_t load(struct sfair_store *store)
{
	uint64_t step = 0;
	size_t size;
	void *data;

	if (sfair_store_load(store, &data, &size, &step) < 0) {
		WANT(errno == ENOENT);
		return 0;
	}
	WANT(is_whole(data, size, step));
	free(data);
	return step;
}

static void keep_and_go_on(void)
{
	struct sfair_store *store = open_it();
	char text[64];

	WANT(load(store) == 0);
	WANT(!sfair_store_save(store)); /* nothing */
	put(store, 5);
	put(store, 6);
	WANT(load(store) == 0);
	WANT(!sfair_store_save(store));
	WANT(!there_is(".0000000000000005."));
	put(store, 7);
	WANT(!sfair_store_close(store));
	store = open_it();
	WANT(sfair_store_put(store, 6, "", 0) < 0 && errno == EINVAL);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "before the last"));
	WANT(sfair_store_put(store, UINT64_MAX, "", 0) < 0 && errno == EINVAL);
	WANT(load(store) == 7);
	put(store, 7); /* again */
	WANT(!sfair_store_save(store));
	WANT(load(store) == 7);
	WANT(!sfair_store_close(store));
	WANT(!sfair_store_close(NULL));
	WANT(sfair_error(text, sizeof(text)) == 0);
}

static void the_newest_is_found_by_the_next_run(void **state)
{
	(void)state;
	run_in_child(keep_and_go_on);
}

static void open_nonsense(void)
{
	WANT(!sfair_store_open(folder, "k", 0) && errno == EINVAL);
	WANT(!sfair_store_open(folder, "", 1) && errno == EINVAL);
	WANT(!sfair_store_open(folder, NULL, 1) && errno == EINVAL);
	WANT(!sfair_store_open(NULL, "k", 1) && errno == EINVAL);
	WANT(!sfair_store_open("/nonexistent", "k", 1) && errno == ENOENT);
}

static void open_unwritable(void)
{
	char text[600];

	WANT(!chmod(folder, 0555));
	if (geteuid() || !setuid(65534)) {
		WANT(!sfair_store_open(folder, "k", 1) && errno == EACCES);
		sfair_error(text, sizeof(text));
		WANT(strstr(text, folder) && strstr(text, "able to read and"));
	}
}

static void a_store_that_cannot_be_is_refused(void **state)
{
	(void)state;
	run_in_child(open_nonsense);
	run_in_child(open_unwritable);
}

static void lose_the_store(void)
{
	struct sfair_store *old = open_it(), *new;
	char text[64];

	put(old, 1);
	new = open_it(); /* of no job: another run */
	WANT(sfair_store_save(old) < 0 && errno == ESTALE);
	sfair_error(text, sizeof(text));
	WANT(strstr(text, "another run has taken"));
	WANT(sfair_store_put(old, 2, "", 0) < 0 && errno == ESTALE);
	WANT(load(new) == 0);
	put(new, 1);
	WANT(sfair_store_close(old) < 0 && errno == ESTALE);
	WANT(!sfair_store_close(new));
}

static void who_lost_the_store_is_told(void **state)
{
	(void)state;
	run_in_child(lose_the_store);
}

/* In a job with a lease, and nobody to talk to. */
static void enter(const char *rank)
{
	setenv("ASTRAEA_POOL", "gpu", 1);
	setenv("ASTRAEA_LEASE_GRACE", "60", 1);
	setenv("ASTRAEA_CHECKPOINT_SIGNAL", "USR1", 1);
	setenv("ASTRAEA_SOCKET", "/nonexistent", 1);
	setenv("SLURM_JOB_ID", "10", 1);
	setenv("SLURM_RESTART_COUNT", "2", 1);
	setenv("SLURM_PROCID", rank, 1);
}

static void count_call(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static bool comes_to(struct sfair_store *store, uint64_t step)
{
	for (int i = 0; i < 500 && load(store) != step; i++)
		usleep(10000);
	return load(store) == step;
}

static void be_signalled(void)
{
	struct sfair_store *store, *other;
	atomic_int calls = 0;

	enter("0");
	store = open_it();
	other = sfair_store_open(folder, "other", 2);
	WANT(other);
	WANT(!sfair_on_lease_end(count_call, &calls));
	WANT(!sfair_on_lease_end(NULL, NULL)); /* as a library may */
	put(store, 1);
	put(store, 2);
	put(other, 3);
	WANT(load(store) == 0);
	usleep(50000); /* the threads wait by now */
	raise(SIGUSR1);
	WANT(comes_to(store, 2));
	WANT(comes_to(other, 3));
	for (int i = 0; i < 500 && !atomic_load(&calls); i++)
		usleep(10000);
	WANT(atomic_load(&calls) == 1);
	WANT(sfair_lease_ending());
	/* The iteration that was going on ends. */
	put(store, 4);
	WANT(comes_to(store, 4));
	put(store, 5);
	WANT(!sfair_store_close(store));
	WANT(!sfair_store_close(other));
	store = open_it(); /* still the same run, and the signal has come */
	WANT(load(store) == 5);
	put(store, 6);
	WANT(comes_to(store, 6));
	WANT(!sfair_store_close(store));
}

static void the_signal_writes_the_latest(void **state)
{
	(void)state;
	run_in_child(be_signalled);
}

static void be_rank_1(void)
{
	struct sfair_store *store;

	enter("1");
	store = open_it();
	WANT(load(store) == 0);
	put(store, 1);
	raise(SIGUSR1);
	WANT(!sfair_store_save(store));
	WANT(!sfair_store_close(store));
	WANT(!there_is(".ckpt"));
}

static void one_process_writes(void **state)
{
	(void)state;
	run_in_child(be_rank_1);
}

static void fork_with_a_store(void)
{
	struct sfair_store *store;
	int status = -1;
	pid_t pid;

	enter("0");
	store = open_it();
	put(store, 1);
	pid = fork();
	if (!pid) {
		uint64_t step;
		size_t size;
		void *data;

		WANT(sfair_store_put(store, 2, "", 0) < 0 && errno == EPERM);
		WANT(sfair_store_save(store) < 0 && errno == EPERM);
		WANT(sfair_store_load(store, &data, &size, &step) < 0 &&
		     errno == EPERM);
		WANT(!sfair_store_close(store));
		WANT(!there_is(".ckpt"));
		store = open_it();
		put(store, 3);
		raise(SIGUSR1);
		WANT(comes_to(store, 3));
		_exit(sfair_store_close(store));
	}
	WANT(waitpid(pid, &status, 0) == pid && !status);
	put(store, 4);
	WANT(!sfair_store_close(store));
	store = open_it();
	WANT(load(store) == 4);
	WANT(!sfair_store_close(store));
}

static void a_fork_opens_its_own(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* a thread may hold the lock of ASan's malloc() */
#endif
	run_in_child(fork_with_a_store);
}

static atomic_bool done;

static void *put_many(void *arg)
{
	for (uint64_t step = 1; step <= 2000; step++)
		put(arg, step);
	atomic_store(&done, true);
	return NULL;
}

/* Outside of a lease, so that it may run here, under TSan. */
static void what_is_saved_meanwhile_is_whole(void **state)
{
	struct sfair_store *store = open_it();
	uint64_t last = 0;
	pthread_t thread;

	(void)state;
	atomic_store(&done, false);
	pthread_create(&thread, NULL, put_many, store);
	while (!atomic_load(&done)) {
		struct astra_error err = {""};
		struct sfair_lineage reader;
		uint64_t step = last;
		void *data = NULL;
		size_t size = 0;
		int rc;

		/* Back to back, while the next ones are copied. */
		for (int i = 0; i < 5; i++)
			WANT(!sfair_store_save(store));
		WANT(!sfair_lineage_open(&reader, folder, "k",
					 (struct sfair_owner){0}, false, NULL));
		rc = sfair_lineage_load(&reader, &data, &size, &step, &err);
		WANT(!rc || rc == ENOENT);
		assert_true(rc || is_whole(data, size, step));
		assert_true(step >= last);
		last = step;
		free(data);
		sfair_lineage_close(&reader);
	}
	pthread_join(thread, NULL);
	WANT(!sfair_store_save(store));
	assert_int_equal(load(store), 2000);
	WANT(!sfair_store_close(store));
}

static char much[2 << 20];

/* As if killed in the middle of a write. */
static void leave_too_much(void)
{
	static const char *const names[] = {
		"k.0000000000000009.0000000001.00000000.tmp",
		"k.0000000000000009.0000000001.00000001.tmp",
	};

	for (int i = 0; i < 2; i++) {
		int at = open(folder, O_RDONLY | O_DIRECTORY);
		int fd = openat(at, names[i], O_WRONLY | O_CREAT, 0600);

		WANT(fd >= 0);
		while (write(fd, much, i ? 1 : sizeof(much)) > 0)
			;
		WANT(errno == ENOSPC);
		close(fd);
		close(at);
	}
}

static void fill_the_disk(void)
{
	struct sfair_store *store;

	if (unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", folder, "tmpfs", 0, "size=1m") < 0)
		return;
	store = open_it();
	put(store, 1);
	WANT(!sfair_store_save(store));
	WANT(!sfair_store_put(store, 2, much, sizeof(much)));
	WANT(sfair_store_save(store) < 0 && errno == ENOSPC);
	WANT(!there_is(".tmp"));
	WANT(sfair_store_save(store) < 0 && errno == ENOSPC);
	WANT(load(store) == 1);
	put(store, 3);
	WANT(!sfair_store_save(store));
	WANT(load(store) == 3);
	WANT(!sfair_store_close(store));
	leave_too_much();
	store = open_it();
	WANT(load(store) == 3);
	WANT(!there_is(".tmp"));
	put(store, 4);
	WANT(!sfair_store_close(store));
}

static void ask_for_too_much(void)
{
	struct sfair_store *store = open_it();

	put(store, 1);
	put(store, 2);
#ifndef __SANITIZE_ADDRESS__ /* which ends the program */
	WANT(sfair_store_put(store, 3, "", SIZE_MAX / 4) < 0 &&
	     errno == ENOMEM);
#endif
	WANT(!sfair_store_close(store));
	store = open_it();
	WANT(load(store) == 2);
	WANT(!sfair_store_close(store));
}

static void a_full_disk_or_memory_leaves_the_one_before(void **state)
{
	(void)state;
	run_in_child(fill_the_disk);
	run_in_child(ask_for_too_much);
}

/* The step that is known to be on the disk. */
static atomic_ullong *saved;

static void save_until_killed(void)
{
	struct sfair_store *store = open_it();
	uint64_t step = load(store);

	WANT(step >= atomic_load(saved));
	for (;;) {
		put(store, ++step);
		WANT(!sfair_store_save(store));
		atomic_store(saved, step);
	}
}

static void look_after_the_kill(void)
{
	struct sfair_store *store;

	setenv("RANK", "1", 1); /* leaves everything as it is */
	store = open_it();
	WANT(load(store) >= atomic_load(saved));
	WANT(!sfair_store_close(store));
}

/* Killed at any moment of its life, or, as a slow machine may take longer to
 * start a process than it lives then, once it has saved. */
static void save_and_kill(bool once_saved, unsigned *seed)
{
	unsigned long long before = atomic_load(saved);
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		save_until_killed();
		_exit(1);
	}
	while (once_saved && atomic_load(saved) == before &&
	       !waitpid(pid, &status, WNOHANG))
		usleep(100);
	usleep((useconds_t)(rand_r(seed) % 8000));
	if (status < 0) {
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	assert_true(WIFSIGNALED(status));
}

static void a_kill_at_any_moment_loses_nothing(void **state)
{
	unsigned seed = (unsigned)getpid();

	(void)state;
	for (int i = 0; i < KILLS; i++) {
		save_and_kill(i % 2, &seed);
		run_in_child(look_after_the_kill);
	}
	assert_true(atomic_load(saved) >= KILLS / 2);
}

static int use(char **argv)
{
	struct sfair_store *store = sfair_store_open(argv[2], argv[3], 2);
	uint64_t step = 0;
	size_t size = 0;
	void *data = NULL;

	if (!store)
		return errno;
	if (!strcmp(argv[1], "load")) {
		if (sfair_store_load(store, &data, &size, &step) < 0)
			return errno;
		printf("%llu ", (unsigned long long)step);
		fwrite(data, 1, size, stdout);
		free(data);
	} else if (sfair_store_put(store, strtoull(argv[4], NULL, 10), argv[5],
				   strlen(argv[5])) < 0) {
		return errno;
	}
	return sfair_store_close(store) < 0 ? errno : 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(the_newest_is_found_by_the_next_run),
		TEST(a_store_that_cannot_be_is_refused),
		TEST(who_lost_the_store_is_told),
		TEST(the_signal_writes_the_latest),
		TEST(one_process_writes),
		TEST(a_fork_opens_its_own),
		TEST(a_full_disk_or_memory_leaves_the_one_before),
		TEST(a_kill_at_any_moment_loses_nothing),
		/* The last, since the environment is read once. */
		TEST(what_is_saved_meanwhile_is_whole),
	};
	const struct CMUnitTest in_here[] = {
		TEST(what_is_saved_meanwhile_is_whole),
	};

	if (argc > 3)
		return use(argv);
	unsetenv("ASTRAEA_POOL");
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_PROCID");
	unsetenv("RANK");
	saved = mmap(NULL, sizeof(*saved), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (saved == MAP_FAILED)
		return 1;
#ifdef __SANITIZE_THREAD__ /* which has no threads in forked children */
	return cmocka_run_group_tests(in_here, NULL, NULL);
#endif
	(void)in_here;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
