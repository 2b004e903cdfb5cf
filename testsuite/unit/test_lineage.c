/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Last store's files: what is torn, damaged or stale is never loaded. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/client/lineage.h"
#include "src/client/snapshot.h"
#include "testsuite/unit/unit.h"

static char folder[64];

/* Good until the call after the next. */
static const char *path_of(const char *file)
{
	static char paths[2][512];
	static int turn;

	turn = !turn;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", folder, file);
	return paths[turn];
}

static int begin(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test-lineage.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	(void)state;
	while (dir && (entry = readdir(dir)))
		unlink(path_of(entry->d_name));
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

static unsigned count_files(const char *suffix)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	unsigned count = 0;

	while ((entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		count += dot && !strcmp(dot, suffix);
	}
	closedir(dir);
	return count;
}

static bool there_is(const char *file)
{
	return access(path_of(file), F_OK) == 0;
}

static int try_open(struct sfair_lineage *l, uint32_t job, uint32_t run)
{
	return sfair_lineage_open(l, folder, "a",
				  (struct sfair_owner){job, run}, true, NULL);
}

static struct sfair_lineage open_run(uint32_t job, uint32_t run)
{
	struct sfair_lineage l;

	assert_int_equal(try_open(&l, job, run), 0);
	return l;
}

static int try_save(struct sfair_lineage *l, uint64_t step, unsigned keep)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "state of %" PRIu64, step);

	return sfair_lineage_save(l, step, text, (size_t)size, keep, NULL);
}

static void save(struct sfair_lineage *l, uint64_t step, unsigned keep)
{
	assert_int_equal(try_save(l, step, keep), 0);
}

/* The step that is loaded, whose data has to be its own; 0: none. */
static uint64_t load(struct sfair_lineage *l)
{
	struct astra_error err = {""};
	char text[32];
	uint64_t step = 0;
	size_t size = 0;
	void *data;
	int rc = sfair_lineage_load(l, &data, &size, &step, &err);

	if (rc) {
		assert_int_equal(rc, ENOENT);
		return 0;
	}
	snprintf(text, sizeof(text), "state of %" PRIu64, step);
	assert_int_equal(size, strlen(text));
	assert_memory_equal(data, text, size);
	free(data);
	return step;
}

static size_t read_file(const char *file, char *bytes, size_t size)
{
	int fd = open(path_of(file), O_RDONLY);
	ssize_t n = read(fd, bytes, size);

	assert_true(n >= 0);
	close(fd);
	return (size_t)n;
}

static void write_file(const char *file, const void *bytes, size_t size)
{
	int fd = open(path_of(file), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

static void copy_file(const char *from, const char *to)
{
	char bytes[256];

	write_file(to, bytes, read_file(from, bytes, sizeof(bytes)));
}

static void the_checksum_is_zlibs(void **state)
{
	const char text[] = "123456789012345678901234567890";

	(void)state;
	assert_int_equal(sfair_crc(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(sfair_crc(0, "", 0), 0);
	for (size_t i = 0; i < sizeof(text); i++)
		assert_int_equal(sfair_crc(sfair_crc(0, text, i), text + i,
					   sizeof(text) - i),
				 sfair_crc(0, text, sizeof(text)));
}

static void names_stay_in_the_folder(void **state)
{
	static const char *const good[] = {"a", "0", "a.b", "a_b-c+d", "A9"};
	static const char *const bad[] = {"",	 ".",	"..",	   ".a",
					  "a/b", "/",	"a b",	   "a\n",
					  "-a",	 "a%s", "\xc3\xa4"};
	struct sfair_lineage l;
	char name[SFAIR_NAME_SIZE + 1] = "";

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(good); i++)
		assert_true(sfair_name_valid(good[i]));
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++)
		assert_int_equal(sfair_lineage_open(&l, folder, bad[i],
						    (struct sfair_owner){1, 0},
						    true, NULL),
				 EINVAL);
	memset(name, 'x', SFAIR_NAME_SIZE - 1);
	assert_true(sfair_name_valid(name));
	memset(name, 'x', SFAIR_NAME_SIZE);
	assert_false(sfair_name_valid(name));
}

static void stores_of_one_folder_are_apart(void **state)
{
	static const char *const names[] = {"a", "a.b", "a.0000000000000007",
					    "a.0000000001", "ab"};
	struct sfair_lineage l[5];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(sfair_lineage_open(&l[i], folder, names[i],
						    (struct sfair_owner){1, i},
						    true, NULL),
				 0);
		assert_int_equal(l[i].number, 1);
		assert_int_equal(load(&l[i]), 0);
		save(&l[i], i + 1, 1);
	}
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(load(&l[i]), i + 1);
		sfair_lineage_close(&l[i]);
	}
}

static void data_of_any_size_comes_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 63, 64, 1 << 20, (1 << 20) + 1, 3 << 20};
	struct sfair_lineage l = open_run(1, 0);
	char *data = malloc(3 << 20);

	(void)state;
	for (size_t i = 0; i < 3 << 20; i++)
		data[i] = (char)(i * 31 >> 4);
	for (unsigned i = 0; i < ASTRA_COUNT_OF(sizes); i++) {
		struct astra_error err = {""};
		uint64_t step = 0;
		size_t size = 99;
		void *got;

		assert_int_equal(
			sfair_lineage_save(&l, i, data, sizes[i], 1, NULL), 0);
		assert_int_equal(
			sfair_lineage_load(&l, &got, &size, &step, &err), 0);
		assert_int_equal(step, i);
		assert_int_equal(size, sizes[i]);
		assert_memory_equal(got, data, size);
		free(got);
	}
	free(data);
	sfair_lineage_close(&l);
}

#define FIRST "a.0000000000000010.0000000001.ckpt"
#define SECOND "a.0000000000000020.0000000001.ckpt"

static void what_is_torn_or_damaged_is_not_loaded(void **state)
{
	struct sfair_lineage l = open_run(1, 0);
	struct astra_error err = {""};
	char bytes[256], bad[256];
	uint64_t step;
	size_t size, n;
	void *data;

	(void)state;
	save(&l, 10, 2);
	save(&l, 20, 2);
	n = read_file(SECOND, bytes, sizeof(bytes));
	assert_int_equal(n, SFAIR_HEAD_SIZE + strlen("state of 20"));
	for (size_t cut = 0; cut < n; cut++) {
		write_file(SECOND, bytes, cut);
		assert_int_equal(load(&l), 10);
	}
	for (size_t bit = 0; bit < 8 * n; bit++) {
		memcpy(bad, bytes, n);
		bad[bit / 8] = (char)(bad[bit / 8] ^ 1 << bit % 8);
		write_file(SECOND, bad, n);
		assert_int_equal(load(&l), 10);
	}
	memcpy(bad, bytes, n);
	write_file(SECOND, bad, n + 1);
	assert_int_equal(load(&l), 10);
	copy_file(FIRST, SECOND); /* not its own step */
	assert_int_equal(load(&l), 10);
	unlink(path_of(SECOND));
	assert_int_equal(mkfifo(path_of(SECOND), 0600), 0);
	assert_int_equal(load(&l), 10);
	write_file(FIRST, "", 0);
	assert_int_equal(sfair_lineage_load(&l, &data, &size, &step, &err),
			 ENOENT);
	assert_non_null(strstr(err.text, FIRST ": damaged"));
	sfair_lineage_close(&l);
}

static void a_damaged_one_makes_no_room(void **state)
{
	struct sfair_lineage l = open_run(1, 0);

	(void)state;
	save(&l, 10, 2);
	save(&l, 20, 2);
	write_file(SECOND, "x", 1);
	save(&l, 30, 2);
	assert_int_equal(count_files(".ckpt"), 2);
	assert_true(there_is(FIRST));
	/* It was gone back to 10: what came after is void. */
	save(&l, 15, 2);
	assert_int_equal(load(&l), 15);
	assert_int_equal(count_files(".ckpt"), 2);
	sfair_lineage_close(&l);
}

static void so_many_are_kept(void **state)
{
	struct sfair_lineage l = open_run(1, 0);

	(void)state;
	for (uint64_t step = 1; step <= 10; step++) {
		save(&l, step, 3);
		assert_int_equal(count_files(".ckpt"), step < 3 ? step : 3);
		assert_int_equal(load(&l), step);
	}
	save(&l, 11, 1);
	assert_int_equal(count_files(".ckpt"), 1);
	assert_int_equal(count_files(".tmp"), 0);
	sfair_lineage_close(&l);
}

/* What a run that is over has in its hands when the next one opens. */
static void a_run_that_is_over_writes_no_more(void **state)
{
	struct sfair_lineage old = open_run(7, 0), new;
	struct astra_error err = {""};
	uint64_t step;
	size_t size;
	void *data;

	(void)state;
	save(&old, 10, 2);
	new = open_run(7, 1);
	assert_int_equal(sfair_lineage_save(&old, 30, "", 0, 2, &err), ESTALE);
	assert_non_null(strstr(err.text, "another run"));
	assert_int_equal(load(&new), 10);
	assert_int_equal(sfair_lineage_load(&old, &data, &size, &step, &err),
			 ESTALE);
	save(&new, 11, 2);
	assert_int_equal(try_save(&old, 30, 2), ESTALE);
	assert_int_equal(load(&new), 11);
	assert_int_equal(count_files(".tmp"), 0);
	sfair_lineage_close(&old);
	sfair_lineage_close(&new);
}

/* It has looked for fences, and hangs in rename() while the next run opens. */
static void what_a_run_that_is_over_renames_late_is_none(void **state)
{
	struct sfair_lineage l = open_run(7, 0);

	(void)state;
	save(&l, 10, 2);
	save(&l, 20, 2);
	rename(path_of(SECOND), path_of("late"));
	for (uint32_t run = 1; run < 4; run++) {
		sfair_lineage_close(&l);
		l = open_run(7, run);
		rename(path_of("late"), path_of(SECOND));
		assert_int_equal(load(&l), 10);
		copy_file(SECOND, "late");
	}
	save(&l, 12, 2);
	assert_int_equal(load(&l), 12);
	assert_false(there_is(SECOND));
	sfair_lineage_close(&l);
}

/* Two processes of a run open at once, and the slower one has seen one more. */
static void the_fence_decides_what_was_taken_over(void **state)
{
	struct sfair_lineage l = open_run(7, 0);

	(void)state;
	save(&l, 10, 2);
	save(&l, 20, 2);
	rename(path_of(SECOND), path_of("late"));
	sfair_lineage_close(&l);
	l = open_run(7, 1);
	rename(path_of("late"), path_of("a.0000000000000020.0000000002.ckpt"));
	assert_int_equal(load(&l), 10);
	save(&l, 11, 2);
	assert_int_equal(load(&l), 11);
	sfair_lineage_close(&l);
	l = open_run(7, 2);
	assert_int_equal(load(&l), 11);
	sfair_lineage_close(&l);
}

/* It hangs in the unlink() of its pruning. */
static void what_a_run_that_is_over_removes_late_stays(void **state)
{
	struct sfair_lineage l = open_run(7, 0);
	struct sfair_files files;

	(void)state;
	save(&l, 10, 2);
	save(&l, 20, 2);
	sfair_lineage_close(&l);
	assert_int_equal(sfair_lineage_open(&l, folder, "a",
					    (struct sfair_owner){7, 1}, false,
					    NULL),
			 0);
	assert_true(there_is(FIRST) && there_is(SECOND));
	assert_int_equal(sfair_files_read(l.folder, "a", &files), 0);
	sfair_files_remove(l.folder, &files, SFAIR_SNAPSHOT, 2);
	sfair_files_clear(&files);
	assert_false(there_is(FIRST) || there_is(SECOND));
	assert_int_equal(load(&l), 20);
	sfair_lineage_close(&l);
}

static void who_had_the_store_does_not_get_it_back(void **state)
{
	static const struct {
		uint32_t job, run;
		int rc;
		uint32_t number;
	} opens[] = {
		{7, 1, 0, 1},	   {7, 1, 0, 1},      {7, 0, ESTALE, 0},
		{7, 2, 0, 2},	   {7, 1, ESTALE, 0}, {7, 2, 0, 2},
		{6, 0, 0, 3},	   {7, 2, ESTALE, 0}, {7, 3, 0, 4},
		{6, 0, ESTALE, 0}, {0, 0, 0, 5},      {0, 0, 0, 6},
		{7, 3, ESTALE, 0}, {7, 9, 0, 7},
	};
	struct sfair_lineage l;
	uint64_t last = 0;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(opens); i++) {
		assert_int_equal(try_open(&l, opens[i].job, opens[i].run),
				 opens[i].rc);
		if (opens[i].rc)
			continue;
		assert_int_equal(l.number, opens[i].number);
		assert_int_equal(load(&l), last);
		last = i + 1;
		save(&l, last, 1);
		sfair_lineage_close(&l);
	}
	assert_int_equal(count_files(".fence"), 2);
	assert_int_equal(count_files(".ckpt"), 1);
}

/* torchrun outside Slurm: all processes open, and one of them writes. */
static void outside_slurm_readers_follow(void **state)
{
	const struct sfair_owner nobody = {0, 0};
	struct sfair_lineage reader, l;

	(void)state;
	assert_int_equal(
		sfair_lineage_open(&reader, folder, "a", nobody, false, NULL),
		0);
	assert_int_equal(load(&reader), 0);
	for (uint64_t step = 1; step < 4; step++) {
		l = open_run(0, 0);
		assert_int_equal(load(&reader), step - 1);
		save(&l, step, 1);
		assert_int_equal(load(&reader), step);
		sfair_lineage_close(&l);
	}
	assert_int_equal(count_files(".fence"), 2);
	sfair_lineage_close(&reader);
}

static void a_fence_is_read_as_it_was_written(void **state)
{
	struct sfair_fence fence = {.has_base = true, .base = 20}, got;
	char text[SFAIR_FENCE_SIZE], bad[SFAIR_FENCE_SIZE];
	size_t size;

	(void)state;
	sfair_fence_pass(&fence, (struct sfair_owner){10, 0});
	sfair_fence_pass(&fence, (struct sfair_owner){11, 3});
	sfair_fence_pass(&fence, (struct sfair_owner){10, 1});
	assert_int_equal(fence.count, 2);
	size = sfair_fence_write(&fence, text);
	assert_int_equal(sfair_fence_read(text, size, &got), 0);
	assert_memory_equal(&got, &fence, sizeof(got));
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(sfair_fence_read(text, cut, &got), -1);
	for (size_t bit = 0; bit < 8 * size; bit++) {
		memcpy(bad, text, size);
		bad[bit / 8] = (char)(bad[bit / 8] ^ 1 << bit % 8);
		assert_int_equal(sfair_fence_read(bad, size, &got), -1);
	}
	memset(bad, '1', sizeof(bad));
	assert_int_equal(sfair_fence_read(bad, sizeof(bad), &got), -1);
}

static void a_fence_has_room_for_all_it_remembers(void **state)
{
	struct sfair_fence fence = {.has_base = true, .base = UINT64_MAX}, got;
	char text[SFAIR_FENCE_SIZE];

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		sfair_fence_pass(&fence,
				 (struct sfair_owner){UINT32_MAX - i, ~i});
	assert_int_equal(fence.count, SFAIR_OWNERS);
	assert_int_equal(fence.owners[SFAIR_OWNERS - 1].job, UINT32_MAX - 99);
	assert_int_equal(
		sfair_fence_read(text, sfair_fence_write(&fence, text), &got),
		0);
	assert_memory_equal(&got, &fence, sizeof(got));
}

static void a_damaged_fence_is_named(void **state)
{
	struct sfair_lineage l = open_run(1, 0);
	struct astra_error err = {""};

	(void)state;
	save(&l, 10, 1);
	sfair_lineage_close(&l);
	write_file("a.0000000001.fence", "sfair fence 1\n", 14);
	assert_int_equal(sfair_lineage_open(&l, folder, "a",
					    (struct sfair_owner){1, 1}, true,
					    &err),
			 EBADMSG);
	assert_non_null(strstr(err.text, "/a.0000000001.fence is damaged"));
	assert_true(there_is(FIRST));
}

static void what_the_dead_left_is_removed(void **state)
{
	struct sfair_lineage l;

	(void)state;
	write_file("a.0000000000000030.0000000001.0123abcd.tmp", "x", 1);
	write_file("a.0000000000000030.0000000001.0123abcd.tmp.c", "x", 1);
	write_file("b.0000000000000030.0000000001.0123abcd.tmp", "x", 1);
	l = open_run(1, 0);
	assert_false(there_is("a.0000000000000030.0000000001.0123abcd.tmp"));
	assert_int_equal(count_files(".c"), 1);
	assert_int_equal(count_files(".tmp"), 1);
	assert_int_equal(load(&l), 0);
	sfair_lineage_close(&l);
}

static void a_write_that_fails_leaves_the_one_before(void **state)
{
	struct rlimit before, few = {.rlim_cur = 4096};
	struct sfair_lineage l = open_run(1, 0);
	struct astra_error err = {""};
	char text[256], *data = calloc(1, 100000);

	(void)state;
	save(&l, 10, 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	few.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &few);
	assert_int_equal(sfair_lineage_save(&l, 20, data, 100000, 1, &err),
			 EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	snprintf(text, sizeof(text),
		 "%s/a.0000000000000020.0000000001.ckpt: File too large",
		 folder);
	assert_string_equal(err.text, text);
	assert_int_equal(count_files(".tmp"), 0);
	assert_int_equal(load(&l), 10);
	save(&l, 21, 1);
	assert_int_equal(load(&l), 21);
	free(data);
	sfair_lineage_close(&l);
}

static void a_folder_that_is_none_is_named(void **state)
{
	const struct sfair_owner owner = {1, 0};
	struct sfair_lineage l;
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(
		sfair_lineage_open(&l, "/nonexistent", "a", owner, true, &err),
		ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent: No such file"));
	assert_int_equal(
		sfair_lineage_open(&l, "/dev/null", "a", owner, true, NULL),
		ENOTDIR);
	assert_int_not_equal(
		sfair_lineage_open(&l, "/proc", "a", owner, true, NULL), 0);
}

/* As if somebody else had planted it; else, of this user, what everybody may
 * write to counts as little. */
static void give_away(const char *file)
{
	if (geteuid())
		assert_int_equal(chmod(path_of(file), 0666), 0);
	else
		assert_int_equal(chown(path_of(file), 65534, 65534), 0);
}

#define PLANTED "a.0000000000009000.0000000001.ckpt"

static void what_another_user_planted_is_none(void **state)
{
	struct sfair_lineage l = open_run(1, 0);
	struct astra_error err = {""};
	uint64_t step;
	size_t size;
	void *data;

	(void)state;
	save(&l, 9000, 1);
	assert_int_equal(load(&l), 9000);
	give_away(PLANTED);
	assert_int_equal(sfair_lineage_load(&l, &data, &size, &step, &err),
			 ENOENT);
	assert_non_null(strstr(err.text, "ignored"));
	assert_non_null(strstr(err.text, PLANTED));
	save(&l, 10, 2);
	save(&l, 20, 2);
	assert_int_equal(load(&l), 20);
	assert_true(there_is(FIRST));
	sfair_lineage_close(&l);
	l = open_run(1, 1);
	assert_int_equal(load(&l), 20);
	assert_int_equal(l.newest, 20);
	assert_false(there_is("a.0000000000009000.0000000002.ckpt"));
	assert_true(there_is(PLANTED));
	sfair_lineage_close(&l);
}

static void what_everybody_may_write_to_is_none(void **state)
{
	mode_t before = umask(0);
	struct sfair_lineage l = open_run(1, 0);

	(void)state;
	save(&l, 10, 2);
	save(&l, 20, 2);
	umask(before);
	assert_int_equal(load(&l), 20); /* whatever the umask */
	assert_int_equal(chmod(path_of(SECOND), 0646), 0);
	assert_int_equal(load(&l), 10);
	sfair_lineage_close(&l);
}

/* One with a high number, and all that is in the way of the next numbers. */
static void planted_fences_lock_nobody_out(void **state)
{
	static const char *const planted[] = {
		"a.4294967294.fence", "a.0000000002.fence",
		"a.0000000000000010.0000000003.ckpt",
		"a.0000000000000001.0000000004.00000000.tmp"};
	struct sfair_lineage l = open_run(1, 0);

	(void)state;
	save(&l, 10, 1);
	for (unsigned i = 0; i < ASTRA_COUNT_OF(planted); i++) {
		copy_file("a.0000000001.fence", planted[i]);
		give_away(planted[i]);
	}
	assert_int_equal(load(&l), 10);
	save(&l, 11, 1);
	sfair_lineage_close(&l);
	l = open_run(1, 1);
	assert_int_equal(l.number, 5);
	assert_int_equal(load(&l), 11);
	save(&l, 12, 1);
	assert_true(there_is("a.0000000001.fence")); /* the last one before */
	sfair_lineage_close(&l);
	assert_int_equal(try_open(&l, 1, 0), ESTALE);
	l = open_run(1, 2);
	assert_int_equal(l.number, 6);
	assert_int_equal(load(&l), 12);
	assert_false(there_is("a.0000000001.fence"));
	sfair_lineage_close(&l);
	for (unsigned i = 0; i < ASTRA_COUNT_OF(planted); i++)
		assert_true(there_is(planted[i]));
}

/* Exchanged after the folder was listed. */
static void the_owner_is_looked_at_as_a_file_is_opened(void **state)
{
	struct sfair_lineage l = open_run(1, 0);
	int fd;

	(void)state;
	save(&l, 10, 1);
	assert_int_equal(sfair_file_open(l.folder, FIRST, &fd), 0);
	close(fd);
	assert_int_equal(symlink(FIRST, path_of("link")), 0);
	assert_int_equal(sfair_file_open(l.folder, "link", &fd), ENOENT);
	assert_int_equal(link(path_of(FIRST), path_of("hard")), 0);
	give_away(FIRST);
	assert_int_equal(sfair_file_open(l.folder, FIRST, &fd), ENOENT);
	assert_int_equal(sfair_file_open(l.folder, "hard", &fd), ENOENT);
	sfair_lineage_close(&l);
}

static void what_is_no_file_is_skipped(void **state)
{
	struct sfair_lineage l = open_run(1, 0);

	(void)state;
	save(&l, 10, 2);
	assert_int_equal(symlink(SECOND, path_of(SECOND)), 0);
	assert_int_equal(mkfifo(path_of("a.0000000007.fence"), 0600), 0);
	assert_int_equal(mkdir(path_of("a.0000000008.fence"), 0700), 0);
	assert_int_equal(load(&l), 10);
	sfair_lineage_close(&l);
	l = open_run(1, 1);
	assert_int_equal(load(&l), 10);
	assert_int_equal(l.number, 2);
	sfair_lineage_close(&l);
	assert_int_equal(rmdir(path_of("a.0000000008.fence")), 0);
}

static void it_is_said_what_to_do(void **state)
{
	static const struct {
		int rc;
		const char *text;
	} cases[] = {
		{EROFS, "/f: Read-only file system; a run writes there: make "},
		{EACCES, "/f: Permission denied; who runs it must be able to "},
		{ENOSPC, "/f: No space left on device; make room and "},
		{EDQUOT, "/f: Disk quota exceeded; make room and "},
		{EPERM, "/f: Operation not permitted; a store needs hard "},
	};
	struct astra_error err;

	(void)state;
	for (unsigned i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		assert_int_equal(
			sfair_lineage_explain(&err, "/f", NULL, cases[i].rc),
			cases[i].rc);
		assert_int_equal(
			strncmp(err.text, cases[i].text, strlen(cases[i].text)),
			0);
	}
	sfair_lineage_explain(&err, "/f", "a", EFBIG);
	assert_string_equal(err.text, "/f/a: File too large");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_checksum_is_zlibs),
		TEST(names_stay_in_the_folder),
		TEST(stores_of_one_folder_are_apart),
		TEST(data_of_any_size_comes_back),
		TEST(what_is_torn_or_damaged_is_not_loaded),
		TEST(a_damaged_one_makes_no_room),
		TEST(so_many_are_kept),
		TEST(a_run_that_is_over_writes_no_more),
		TEST(what_a_run_that_is_over_renames_late_is_none),
		TEST(the_fence_decides_what_was_taken_over),
		TEST(what_a_run_that_is_over_removes_late_stays),
		TEST(who_had_the_store_does_not_get_it_back),
		TEST(outside_slurm_readers_follow),
		TEST(a_fence_is_read_as_it_was_written),
		TEST(a_fence_has_room_for_all_it_remembers),
		TEST(a_damaged_fence_is_named),
		TEST(what_the_dead_left_is_removed),
		TEST(a_write_that_fails_leaves_the_one_before),
		TEST(a_folder_that_is_none_is_named),
		TEST(what_another_user_planted_is_none),
		TEST(what_everybody_may_write_to_is_none),
		TEST(planted_fences_lock_nobody_out),
		TEST(the_owner_is_looked_at_as_a_file_is_opened),
		TEST(what_is_no_file_is_skipped),
		TEST(it_is_said_what_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
