/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state file is the new one or the old one, whatever happens to it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/store/state_file.h"
#include "testsuite/unit/unit.h"

static char folder[] = "/tmp/astraea-state-XXXXXX";
static char path[PATH_MAX], old[PATH_MAX], fresh[PATH_MAX], kept[PATH_MAX];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/state", folder);
	snprintf(old, sizeof(old), "%s/state.old", folder);
	snprintf(fresh, sizeof(fresh), "%s/state.new", folder);
	snprintf(kept, sizeof(kept), "%s/state.kept", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	unlink(old);
	unlink(fresh);
	return rmdir(folder);
}

static int clean(void **state)
{
	(void)state;
	unlink(path);
	unlink(old);
	unlink(fresh);
	return 0;
}

static void put(const char *text)
{
	struct astra_error err = {""};

	assert_int_equal(astra_state_write(path, text, strlen(text),
					   ASTRA_STATE_SYNC | ASTRA_STATE_KEEP,
					   &err),
			 0);
}

static void expect(const char *text, bool from_old)
{
	struct astra_error err = {""};
	bool fallback;
	void *data;
	size_t size;

	assert_int_equal(astra_state_read(path, &data, &size, &fallback, &err),
			 0);
	assert_int_equal(size, strlen(text));
	assert_memory_equal(data, text, size);
	assert_int_equal(fallback, from_old);
	assert_int_equal(*err.text != '\0', from_old);
	free(data);
}

static void flip(const char *file, off_t at)
{
	int fd = open(file, O_RDWR);
	char byte;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte = (char)(byte ^ 0x40);
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static off_t size_of(const char *file)
{
	struct stat st;

	assert_int_equal(stat(file, &st), 0);
	return st.st_size;
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	put("one");
	expect("one", false);
	put("");
	expect("", false);
}

static void no_file_is_no_state(void **state)
{
	bool fallback;
	void *data;
	size_t size;
	(void)state;

	assert_int_equal(astra_state_read(path, &data, &size, &fallback, NULL),
			 0);
	assert_null(data);
}

/* What was not synced may be lost with the host: the one that was stays. */
static void the_last_synced_one_is_kept(void **state)
{
	(void)state;
	put("synced");
	assert_int_equal(
		astra_state_write(path, "a", 1, ASTRA_STATE_KEEP, NULL), 0);
	assert_int_equal(astra_state_write(path, "b", 1, 0, NULL), 0);
	expect("b", false);
	flip(path, size_of(path) - 1);
	expect("synced", true);
}

/* A changed byte anywhere, or a cut anywhere, and the one before is used. */
static void damage_falls_back_to_the_one_before(void **state)
{
	off_t size;
	(void)state;

	put("first");
	put("second");
	size = size_of(path);
	for (off_t at = 0; at < size; at++) {
		flip(path, at);
		if (at < 20 || at >= 24) /* the last header field is unused */
			expect("first", true);
		flip(path, at);
		expect("second", false);
	}
	for (off_t at = size - 1; at >= 0; at--) {
		assert_int_equal(truncate(path, at), 0);
		expect("first", true);
	}
	unlink(path);
	expect("first", true);
}

static void both_damaged_is_an_error_that_names_the_file(void **state)
{
	struct astra_error err = {""};
	bool fallback;
	void *data;
	size_t size;
	(void)state;

	put("first");
	put("second");
	flip(path, 30 - 4);
	flip(old, 2);
	assert_int_equal(astra_state_read(path, &data, &size, &fallback, &err),
			 -1);
	assert_non_null(strstr(err.text, path));
	assert_null(data);
}

/* A write that fails half way leaves what was there. */
static void a_failed_write_keeps_the_old_state(void **state)
{
	struct astra_error err = {""};
	(void)state;

	put("first");
	assert_int_equal(mkdir(fresh, 0700),
			 0); /* the new file can't be made */
	assert_int_equal(astra_state_write(path, "x", 1,
					   ASTRA_STATE_SYNC | ASTRA_STATE_KEEP,
					   &err),
			 -1);
	assert_non_null(strstr(err.text, fresh));
	rmdir(fresh);
	expect("first", false);
}

/* Killed between making the new file and renaming it. */
static void the_backup_stays_where_nothing_replaces_it(void **state)
{
	(void)state;
	put("one");
	assert_int_equal(rename(path, old), 0);
	put("two");
	expect("two", false);
	assert_int_equal(unlink(path), 0);
	expect("one", true);
}

static void a_left_over_new_file_is_ignored(void **state)
{
	int fd;
	(void)state;

	put("first");
	fd = open(fresh, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "half", 4), 4);
	close(fd);
	expect("first", false);
	put("second");
	expect("second", false);
}

/* What stands where the new file is to be made is in nobody's way. */
static void a_pipe_keeps_nobody_waiting(void **state)
{
	bool fallback;
	void *data;
	size_t size;
	(void)state;

	assert_int_equal(mkfifo(fresh, 0600), 0);
	put("first");
	expect("first", false);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(astra_state_read(path, &data, &size, &fallback, NULL),
			 -1);
	assert_null(data);
}

/* Whichever of the two was put aside before. */
static void a_folder_is_put_aside(void **state)
{
	(void)state;
	put("first");
	put("second");
	for (int i = 0; i < 4; i++) {
		if (i % 2) {
			flip(path, 0);
		} else {
			assert_int_equal(unlink(path), 0);
			assert_int_equal(mkdir(path, 0700), 0);
		}
		expect("first", true);
		assert_int_equal(astra_state_keep(path), 0);
		assert_true(access(path, F_OK) < 0);
		assert_int_equal(astra_state_keep(path), -1);
		assert_int_equal(access(kept, F_OK), 0);
		put("second");
		expect("second", false);
	}
	assert_int_equal(unlink(kept), 0);
}

static void expect_refuge(const char *text)
{
	void *data;
	size_t size = 0;

	astra_refuge_load(path, &data, &size);
	if (!text) {
		assert_null(data);
		return;
	}
	assert_int_equal(size, strlen(text));
	assert_memory_equal(data, text, size);
	free(data);
}

static void what_cannot_be_written_is_kept_until_it_can(void **state)
{
	(void)state;
	put("one");
	expect_refuge(NULL);
	assert_int_equal(astra_refuge_save(path, "two", 3), 0);
	assert_int_equal(astra_refuge_save(path, "three", 5), 0);
	expect_refuge("three");
	astra_refuge_drop(path);
	expect_refuge(NULL);
}

static void what_is_kept_counts_only_for_the_file_that_stayed(void **state)
{
	(void)state;
	assert_int_equal(astra_refuge_save(path, "one", 3), 0);
	expect_refuge("one");
	put("another controller's");
	expect_refuge(NULL);
	astra_refuge_drop(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_written_is_read, clean),
		cmocka_unit_test_teardown(the_last_synced_one_is_kept, clean),
		cmocka_unit_test_teardown(no_file_is_no_state, clean),
		cmocka_unit_test_teardown(damage_falls_back_to_the_one_before,
					  clean),
		cmocka_unit_test_teardown(
			both_damaged_is_an_error_that_names_the_file, clean),
		cmocka_unit_test_teardown(a_failed_write_keeps_the_old_state,
					  clean),
		cmocka_unit_test_teardown(
			the_backup_stays_where_nothing_replaces_it, clean),
		cmocka_unit_test_teardown(a_left_over_new_file_is_ignored,
					  clean),
		cmocka_unit_test_teardown(a_pipe_keeps_nobody_waiting, clean),
		cmocka_unit_test_teardown(a_folder_is_put_aside, clean),
		cmocka_unit_test_teardown(
			what_cannot_be_written_is_kept_until_it_can, clean),
		cmocka_unit_test_teardown(
			what_is_kept_counts_only_for_the_file_that_stayed,
			clean),
	};

	return cmocka_run_group_tests_name("state_file", tests, make_folder,
					   remove_folder);
}
