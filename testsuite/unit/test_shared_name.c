/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of names in shared memory that others cannot know. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/store/shared_name.h"
#include "testsuite/unit/unit.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/astraea-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char file[128];

	(void)state;
	snprintf(file, sizeof(file), "%s/" ASTRA_SHARED_NAME_FILE, folder);
	unlink(file);
	return rmdir(folder);
}

static void box(char out[ASTRA_SHARED_NAME_SIZE])
{
	astra_shared_name(folder, ASTRA_SHARED_BOX, out);
}

static void it_stays_until_it_was_found_out(void **state)
{
	char first[ASTRA_SHARED_NAME_SIZE], now[ASTRA_SHARED_NAME_SIZE];

	(void)state;
	assert_int_equal(astra_shared_name_make(folder, false), 0);
	box(first);
	assert_int_equal(strlen(first), 16);
	assert_int_equal(astra_shared_name_make(folder, false), 0);
	box(now);
	assert_string_equal(now, first);
	assert_int_equal(astra_shared_name_make(folder, true), 0);
	box(now);
	assert_string_not_equal(now, first);
}

/* Who sees the one in /dev/shm does not know the other. */
static void two_names_have_parts_of_their_own(void **state)
{
	char one[ASTRA_SHARED_NAME_SIZE], other[ASTRA_SHARED_NAME_SIZE];

	(void)state;
	assert_int_equal(astra_shared_name_make(folder, false), 0);
	box(one);
	astra_shared_name(folder, ASTRA_SHARED_REFUGE, other);
	assert_string_not_equal(one, other);
}

static void only_its_owner_may_read_it(void **state)
{
	char file[128];
	struct stat st;

	(void)state;
	assert_int_equal(astra_shared_name_make(folder, false), 0);
	snprintf(file, sizeof(file), "%s/" ASTRA_SHARED_NAME_FILE, folder);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void without_it_the_folder_gives_the_name(void **state)
{
	char name[ASTRA_SHARED_NAME_SIZE];
	char wanted[ASTRA_SHARED_NAME_SIZE];
	struct stat st;

	(void)state;
	assert_int_equal(stat(folder, &st), 0);
	snprintf(wanted, sizeof(wanted), "%llx.%llx",
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	box(name);
	assert_string_equal(name, wanted);
	assert_int_equal(astra_shared_name_make("/nonexistent", false), -1);
}

static void leave(const char *file, const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Up, back and up again: the one that ran last knows more. */
static void what_an_earlier_release_left_is_adopted(void **state)
{
	char id[ASTRA_SHARED_NAME_SIZE], was[96], is[96], text[16] = "";
	FILE *f;

	(void)state;
	box(id);
	snprintf(was, sizeof(was), "/dev/shm/astraea-test.%s", id);
	assert_int_equal(astra_shared_name_make(folder, false), 0);
	box(id);
	snprintf(is, sizeof(is), "/dev/shm/astraea-test.%s", id);
	for (int i = 0; i < 2; i++) {
		leave(was, i ? "second" : "first");
		astra_shared_name_adopt(folder, ASTRA_SHARED_BOX,
					"astraea-test.", "");
		assert_int_equal(access(was, F_OK), -1);
	}
	astra_shared_name_adopt(folder, ASTRA_SHARED_BOX, "astraea-test.", "");
	f = fopen(is, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	unlink(is);
	assert_string_equal(text, "second");
}

static void what_is_no_file_is_not_adopted(void **state)
{
	char id[ASTRA_SHARED_NAME_SIZE], was[96];

	(void)state;
	box(id);
	snprintf(was, sizeof(was), "/dev/shm/astraea-test.%s", id);
	assert_int_equal(symlink("/etc/passwd", was), 0);
	assert_int_equal(astra_shared_name_make(folder, false), 0);
	astra_shared_name_adopt(folder, ASTRA_SHARED_BOX, "astraea-test.", "");
	assert_int_equal(unlink(was), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_stays_until_it_was_found_out,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			two_names_have_parts_of_their_own, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(only_its_owner_may_read_it,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			without_it_the_folder_gives_the_name, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(
			what_an_earlier_release_left_is_adopted, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_not_adopted,
						make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
