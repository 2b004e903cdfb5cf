/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The black box outlives its process, and is not fooled by what it finds. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/store/black_box.h"
#include "testsuite/unit/unit.h"

static char name[64];

static int make_name(void **state)
{
	(void)state;
	snprintf(name, sizeof(name), "/astraea-test-%d", (int)getpid());
	return 0;
}

static int remove_box(void **state)
{
	(void)state;
	(void)shm_unlink(name);
	return 0;
}

static struct astra_box *open_box(void)
{
	struct astra_error err = {""};
	struct astra_box *box = astra_box_open(name, &err);

	assert_string_equal(err.text, "");
	assert_non_null(box);
	return box;
}

static void add(struct astra_box *box, uint32_t job)
{
	struct astra_box_event event = {
		.kind = ASTRA_BOX_START,
		.job = job,
		.nodes = "n[1-2]",
	};

	astra_box_add(box, &event);
}

static void expect(uint32_t first, uint32_t last)
{
	struct astra_box *box = open_box();
	struct astra_box_event *list;
	size_t count = astra_box_read(box, &list);

	assert_int_equal(count, last - first + 1);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(list[i].job, first + i);
	if (count)
		assert_string_equal(list[0].nodes, "n[1-2]");
	free(list);
	astra_box_close(box);
}

static void what_a_killed_process_added_is_there(void **state)
{
	pid_t child = fork();
	int status;
	(void)state;

	if (!child) {
		struct astra_box *box = astra_box_open(name, NULL);

		for (uint32_t i = 1; box && i <= 3; i++)
			add(box, i);
		(void)kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	expect(1, 3);
}

static void the_oldest_makes_room(void **state)
{
	struct astra_box *box = open_box();
	struct astra_box_event *list;
	size_t count;
	(void)state;

	for (uint32_t i = 1; i <= 40000; i++)
		add(box, i);
	count = astra_box_read(box, &list);
	free(list);
	astra_box_close(box);
	assert_in_range(count, 10000, 39999);
	expect(40001 - (uint32_t)count, 40000);
}

/* One damaged record is left out; the others are as they were. */
static void a_damaged_event_is_left_out(void **state)
{
	struct astra_box *box = open_box();
	struct astra_box_event *list;
	struct stat st;
	char *raw;
	int fd;
	(void)state;

	add(box, 7);
	add(box, 8);
	fd = shm_open(name, O_RDWR, 0);
	assert_int_equal(fstat(fd, &st), 0);
	raw = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   fd, 0);
	close(fd);
	for (size_t i = 0; i + 6 < (size_t)st.st_size; i++)
		if (!memcmp(raw + i, "n[1-2]", 6)) {
			raw[i] = 'x';
			break;
		}
	munmap(raw, (size_t)st.st_size);
	assert_int_equal(astra_box_read(box, &list), 1);
	assert_int_equal(list[0].job, 8);
	free(list);
	astra_box_close(box);
}

static void what_is_no_box_is_begun_anew(void **state)
{
	int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
	(void)state;

	assert_int_equal(write(fd, "nonsense", 8), 8);
	close(fd);
	expect(1, 0);
}

static void without_a_box_nothing_is_kept(void **state)
{
	struct astra_box_event *list;
	(void)state;

	add(NULL, 1);
	assert_int_equal(astra_box_read(NULL, &list), 0);
	free(list);
	assert_null(astra_box_open("no slash/in it", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_a_killed_process_added_is_there,
					  remove_box),
		cmocka_unit_test_teardown(the_oldest_makes_room, remove_box),
		cmocka_unit_test_teardown(a_damaged_event_is_left_out,
					  remove_box),
		cmocka_unit_test_teardown(what_is_no_box_is_begun_anew,
					  remove_box),
		cmocka_unit_test(without_a_box_nothing_is_kept),
	};

	return cmocka_run_group_tests(tests, make_name, remove_box);
}
