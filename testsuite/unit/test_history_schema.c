/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history's file is made, taken up again, and never in the way. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/history/schema.h"
#include "testsuite/unit/unit.h"

static char folder[64], path[128];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/astraea-schema-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/h.sqlite", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void open_good(const char *note)
{
	struct astra_error told, err = {""};
	sqlite3 *db;

	assert_int_equal(astra_history_open(path, "c1", &db, &told, &err), 0);
	assert_string_equal(err.text, "");
	if (note)
		assert_non_null(strstr(told.text, note));
	else
		assert_string_equal(told.text, "");
	astra_history_close(db);
}

static void refused(const char *because)
{
	struct astra_error told, err = {""};
	sqlite3 *db;

	assert_int_equal(astra_history_open(path, "c1", &db, &told, &err), -1);
	assert_null(db);
	if (!strstr(err.text, because))
		fail_msg("%s: not %s", err.text, because);
}

static void run(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static int number(const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	int n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void a_new_file_is_its_owners_alone(void **state)
{
	struct stat st;

	(void)state;
	open_good(NULL);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(number("SELECT value FROM meta WHERE key='version'"),
			 ASTRA_HISTORY_VERSION);
}

static void a_file_is_taken_up_again(void **state)
{
	(void)state;
	open_good(NULL);
	run("INSERT INTO pool(name) VALUES('gpu')");
	open_good(NULL);
	assert_int_equal(number("SELECT count(*) FROM pool"), 1);
}

static void an_empty_file_is_begun(void **state)
{
	(void)state;
	write_file("");
	open_good(NULL);
}

static void what_is_no_history_stays(void **state)
{
	char kept[160];

	(void)state;
	write_file("This was a list of things to buy, and not a short one.");
	refused("is not a history file: remove it, or name another one");
	snprintf(kept, sizeof(kept), "%s.damaged", path);
	assert_int_equal(access(kept, F_OK), -1);
	assert_int_equal(access(path, R_OK), 0);
	/* What has this name is no one else's. */
	snprintf(path, sizeof(path), "%s/%s", folder, ASTRA_HISTORY_FILE);
	write_file("This was a list of things to buy, and not a short one.");
	open_good(".damaged");
}

static void refused_to_read(const char *because)
{
	struct astra_error err = {""};
	sqlite3 *db;

	assert_int_not_equal(astra_history_open_read(path, &db, &err), 0);
	assert_null(db);
	if (!strstr(err.text, because))
		fail_msg("%s: not %s", err.text, because);
}

static void only_a_regular_file_is_opened(void **state)
{
	char other[160];
	struct stat st, after;

	(void)state;
	assert_int_equal(mkfifo(path, 0644), 0);
	refused("is a FIFO");
	refused_to_read("is a FIFO");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	unlink(path);
	assert_int_equal(mkdir(path, 0755), 0);
	refused("is a directory");
	refused_to_read("is a directory");
	rmdir(path);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_int_equal(symlink("/dev/null", path), 0);
	refused("is a symbolic link to a device");
	refused_to_read("is a symbolic link to a device");
	assert_int_equal(stat("/dev/null", &after), 0);
	assert_int_equal(st.st_mode, after.st_mode);
	unlink(path);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(symlink(other, path), 0);
	refused("is a symbolic link: No such file");
	fclose(fopen(other, "w"));
	open_good(NULL);
	snprintf(other, sizeof(other), "%s-journal", path);
	unlink(other);
	assert_int_equal(mkfifo(other, 0644), 0);
	refused("-journal is a FIFO");
	refused_to_read("-journal is a FIFO");
}

static void a_damaged_file_is_set_aside(void **state)
{
	char kept[160];
	FILE *f;

	(void)state;
	open_good(NULL);
	f = fopen(path, "r+");
	assert_non_null(f);
	fputs("The beginning is gone.", f);
	fclose(f);
	open_good(".damaged");
	snprintf(kept, sizeof(kept), "%s.damaged", path);
	assert_int_equal(access(kept, R_OK), 0);
	open_good(NULL);
}

/* As a slurmctld of before left it when it was killed, and with its map cut. */
static void a_file_in_wal_mode_is_converted(void **state)
{
	struct astra_error told, err = {""};
	char map[160];
	sqlite3 *db;
	pid_t pid;
	int status;

	(void)state;
	open_good(NULL);
	pid = fork();
	if (!pid) {
		if (sqlite3_open(path, &db) == SQLITE_OK &&
		    sqlite3_exec(db,
				 "PRAGMA journal_mode=WAL;"
				 "INSERT INTO pool(name) VALUES('gpu')",
				 NULL, NULL, NULL) == SQLITE_OK)
			_exit(0);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	snprintf(map, sizeof(map), "%s-shm", path);
	assert_int_equal(truncate(map, 0), 0);
	assert_int_equal(astra_history_open_read(path, &db, &err), 1);
	assert_null(db);
	assert_int_equal(astra_history_open(path, "c1", &db, &told, &err), 0);
	assert_string_equal(told.text, "");
	assert_false(astra_history_is_wal(db));
	assert_int_equal(number("SELECT count(*) FROM pool"), 1);
	astra_history_close(db);
	assert_int_equal(astra_history_open_read(path, &db, &err), 0);
	astra_history_close(db);
}

static void a_locked_file_can_be_read_later(void **state)
{
	struct astra_error err = {""};
	sqlite3 *writer, *db;

	(void)state;
	open_good(NULL);
	assert_int_equal(sqlite3_open(path, &writer), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(writer, "BEGIN EXCLUSIVE", NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(astra_history_open_read(path, &db, &err), 1);
	sqlite3_close(writer);
}

static void an_older_file_is_set_aside(void **state)
{
	(void)state;
	open_good(NULL);
	run("UPDATE meta SET value=0 WHERE key='version'");
	open_good(".old");
}

static void a_newer_file_is_left_alone(void **state)
{
	(void)state;
	open_good(NULL);
	run("UPDATE meta SET value=99 WHERE key='version'");
	refused("version 99");
	assert_int_equal(number("SELECT value FROM meta WHERE key='version'"),
			 99);
}

static void another_programs_file_is_left_alone(void **state)
{
	(void)state;
	run("CREATE TABLE bookmark(a)");
	refused("another program's");
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	(void)state;
	strcat(path, "/x/y");
	refused(path);
}

static void a_reader_makes_no_file(void **state)
{
	struct astra_error err = {""};
	sqlite3 *db;

	(void)state;
	assert_int_equal(astra_history_open_read(path, &db, &err), -1);
	assert_int_equal(access(path, F_OK), -1);
	open_good(NULL);
	assert_int_equal(astra_history_open_read(path, &db, &err), 0);
	astra_history_close(db);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file_is_its_owners_alone),
		TEST(a_file_is_taken_up_again),
		TEST(an_empty_file_is_begun),
		TEST(what_is_no_history_stays),
		TEST(only_a_regular_file_is_opened),
		TEST(a_damaged_file_is_set_aside),
		TEST(a_file_in_wal_mode_is_converted),
		TEST(a_locked_file_can_be_read_later),
		TEST(an_older_file_is_set_aside),
		TEST(a_newer_file_is_left_alone),
		TEST(another_programs_file_is_left_alone),
		TEST(a_folder_that_is_not_there_is_named),
		TEST(a_reader_makes_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
