/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The black box outlives its process, and is not fooled by what it finds. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
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

static void an_index_is_that_of_the_run(void **state)
{
	struct astra_box_event long_nodes = {.kind = ASTRA_BOX_START, .job = 2};
	struct astra_box_event event = {
		.kind = ASTRA_BOX_START,
		.job = 1,
		.has_index = 1,
		.nodes = "n1",
		.index = UINT64_MAX,
	};
	struct astra_box *box = open_box();
	struct astra_box_event *list;

	(void)state;
	/* A release before had nodes where the index is now. */
	memset(long_nodes.nodes, 'n', sizeof(long_nodes.nodes));
	long_nodes.index = 7;
	astra_box_add(box, &event);
	astra_box_add(box, &long_nodes);
	assert_int_equal(astra_box_read(box, &list), 2);
	assert_true(list[0].index == UINT64_MAX);
	assert_string_equal(list[0].nodes, "n1");
	assert_true(list[1].index == 0);
	assert_string_equal(list[1].nodes, "");
	free(list);
	astra_box_close(box);
}

/* A release that knows of no GPUs has 1 where they are, too. */
static void what_older_releases_noted_has_no_size(void **state)
{
	struct astra_box_event event = {.kind = ASTRA_BOX_START, .job = 1};
	const size_t at = offsetof(struct astra_box_event, exit_code) + 4;
	uint32_t had_index = 1;
	(void)state;

	memcpy((char *)&event + at, &had_index, sizeof(had_index));
	assert_int_equal(event.has_index, 1);
	assert_int_equal(event.gpus, 0);
	event.gpus = 6;
	memcpy(&had_index, (char *)&event + at, sizeof(had_index));
	assert_true(had_index != 0);
	assert_int_equal(offsetof(struct astra_box_event, submit_sec), at + 4);
}

static void a_run_is_noted_with_its_nodes_and_resources(void **state)
{
	static const struct {
		const char *nodes, *tres, *noted_nodes, *noted_tres;
	} cases[] = {
		{"n[1-2]", "1=4,1001=8", "n[1-2]", "1=4,1001=8"},
		{"n1", NULL, "n1", ""},
		{NULL, "1=4", "", "1=4"},
		{"n[1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39]",
		 "1=480,2=1920000,4=20,5=480,1001=160", "",
		 "1=480,2=1920000,4=20,5=480,1001=160"},
	};
	char longest[ASTRA_BOX_NODES + 1] = {0}, tres[ASTRA_BOX_NODES] = {0};
	struct astra_box_event e = {.has_index = 1};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		astra_box_name(&e, cases[i].nodes, cases[i].tres);
		assert_string_equal(e.nodes, cases[i].noted_nodes);
		assert_string_equal(astra_box_tres(&e), cases[i].noted_tres);
		assert_int_equal(astra_box_has_nodes(&e, cases[i].nodes),
				 cases[i].nodes != NULL);
		assert_false(astra_box_has_nodes(&e, "m1"));
	}
	memset(longest, 'n', ASTRA_BOX_NODES - 2);
	memset(tres, '1', ASTRA_BOX_NODES - 10);
	for (int i = 0; i < 3; i++) {
		longest[ASTRA_BOX_NODES - 3 + i] = 'n';
		astra_box_name(&e, longest, tres);
		assert_string_equal(e.nodes, i < 1 ? longest : "");
		assert_string_equal(astra_box_tres(&e), "");
		assert_true(astra_box_has_nodes(&e, longest));
		astra_box_name(&e, longest, tres + 1);
		assert_string_equal(e.nodes, "");
		assert_string_equal(astra_box_tres(&e), tres + 1);
		assert_true(astra_box_has_nodes(&e, longest));
		assert_false(astra_box_has_nodes(&e, longest + 1));
		assert_false(astra_box_has_nodes(&e, NULL));
	}
}

static void the_next_process_knows_when_the_last_one_lived(void **state)
{
	struct astra_box *box = open_box();

	(void)state;
	assert_int_equal(astra_box_last_beat(box), 0);
	astra_box_beat(box, 1234567890);
	astra_box_close(box);
	box = open_box();
	assert_int_equal(astra_box_last_beat(box), 1234567890);
	assert_int_equal(astra_box_last_beat(NULL), 0);
	astra_box_close(box);
}

static void a_removed_box_is_noticed(void **state)
{
	struct astra_box *box = open_box();

	(void)state;
	assert_false(astra_box_is_gone(box));
	assert_false(astra_box_is_gone(NULL));
	assert_int_equal(shm_unlink(name), 0);
	assert_true(astra_box_is_gone(box));
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

/* testsuite/unit/state/box1 is the begin of the box of a cluster under commit
 * 20a795c; the rest of it was never used. */
static void a_box_of_an_earlier_version_goes_on(void **state)
{
	static const struct {
		enum astra_box_kind kind;
		uint32_t job, restart_cnt;
	} known[] = {
		{ASTRA_BOX_START, 1, 0},   {ASTRA_BOX_LAUNCH, 1, 0},
		{ASTRA_BOX_END, 1, 0},	   {ASTRA_BOX_START, 2, 0},
		{ASTRA_BOX_START, 3, 0},   {ASTRA_BOX_LAUNCH, 2, 0},
		{ASTRA_BOX_LAUNCH, 3, 0},  {ASTRA_BOX_REQUEUE, 3, 0},
		{ASTRA_BOX_START, 4, 0},   {ASTRA_BOX_LAUNCH, 4, 0},
		{ASTRA_BOX_REQUEUE, 4, 0}, {ASTRA_BOX_START, 3, 1},
		{ASTRA_BOX_LAUNCH, 3, 1},
	};
	const char *top = getenv("top_srcdir");
	struct astra_box_event *list;
	struct astra_box *box;
	char path[4096], data[4096];
	size_t count, size;
	struct stat st;
	FILE *f;
	int fd;

	(void)state;
	astra_box_close(open_box()); /* for its size */
	fd = shm_open(name, O_RDWR, 0600);
	assert_int_equal(fstat(fd, &st), 0);
	snprintf(path, sizeof(path), "%s/testsuite/unit/state/box1",
		 top ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, data, size, 0), size);
	assert_int_equal(ftruncate(fd, st.st_size), 0);
	close(fd);
	box = open_box();
	count = astra_box_read(box, &list);
	astra_box_close(box);
	assert_int_equal(count, ASTRA_COUNT_OF(known));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(list[i].kind, known[i].kind);
		assert_int_equal(list[i].job, known[i].job);
		assert_int_equal(list[i].restart_cnt, known[i].restart_cnt);
	}
	assert_int_equal(list[7].exit_code, 85 << 8);
	assert_int_equal(list[7].end_sec - list[7].start_sec, 9);
	assert_string_equal(list[12].nodes, "n2");
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_index_is_that_of_the_run,
					  remove_box),
		cmocka_unit_test(a_run_is_noted_with_its_nodes_and_resources),
		cmocka_unit_test_teardown(
			the_next_process_knows_when_the_last_one_lived,
			remove_box),
		cmocka_unit_test_teardown(a_removed_box_is_noticed, remove_box),
		cmocka_unit_test_teardown(what_a_killed_process_added_is_there,
					  remove_box),
		cmocka_unit_test_teardown(the_oldest_makes_room, remove_box),
		cmocka_unit_test_teardown(a_damaged_event_is_left_out,
					  remove_box),
		cmocka_unit_test_teardown(what_is_no_box_is_begun_anew,
					  remove_box),
		cmocka_unit_test_teardown(a_box_of_an_earlier_version_goes_on,
					  remove_box),
		cmocka_unit_test(what_older_releases_noted_has_no_size),
		cmocka_unit_test(without_a_box_nothing_is_kept),
	};

	return cmocka_run_group_tests(tests, make_name, remove_box);
}
