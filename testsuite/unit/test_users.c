/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users while the directory service comes and goes; getpwuid_r() here
 * is that service. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/slurm/in/users.h"
#include "testsuite/unit/unit.h"

static int error; /* of the service */
static char alice[] = "alice", alicia[] = "alicia";
static char *name_of_1003 = alice;
static unsigned int calls;

int getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
	       struct passwd **out)
{
	(void)buffer;
	(void)size;
	calls++;
	*out = NULL;
	if (error || uid != 1003)
		return error;
	*entry = (struct passwd){.pw_name = name_of_1003, .pw_uid = uid};
	*out = entry;
	return 0;
}

static char renames[256];

static void note(void *arg, uint32_t uid, const char *before, const char *name)
{
	size_t used = strlen(renames);

	(void)arg;
	snprintf(renames + used, sizeof(renames) - used, "%u %s %s;", uid,
		 before, name);
}

static uint32_t resolve(double now_sec)
{
	return astra_users_resolve(now_sec, note, NULL);
}

static int set_up(void **state)
{
	(void)state;
	error = 0;
	calls = 0;
	name_of_1003 = alice;
	*renames = '\0';
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	astra_users_free();
	return 0;
}

static void a_name_is_asked_for_once(void **state)
{
	(void)state;
	assert_null(astra_user_name(1003));
	assert_int_equal(resolve(0), 1);
	assert_string_equal(astra_user_name(1003), "alice");
	assert_int_equal(resolve(1e6), 0);
	assert_string_equal(renames, "");
}

/* The longest that useradd makes has 256 bytes with its end. */
static void a_long_name_is_kept_whole(void **state)
{
	char name[256];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	name_of_1003 = name;
	assert_null(astra_user_name(1003));
	assert_int_equal(resolve(0), 1);
	assert_string_equal(astra_user_name(1003), name);
}

static void a_service_that_fails_is_asked_again(void **state)
{
	(void)state;
	error = EIO;
	for (uint32_t uid = 1003; uid < 1100; uid++)
		assert_null(astra_user_name(uid));
	resolve(0);
	assert_int_equal(calls, 1); /* each may take seconds */
	assert_string_equal(astra_user_name(1003), "1003");
	assert_string_equal(astra_user_name(1099), "1099");
	error = 0;
	assert_int_equal(resolve(5), 0);
	assert_int_equal(resolve(11), 97);
	assert_string_equal(astra_user_name(1003), "alice");
	assert_string_equal(renames, "1003 1003 alice;");
}

/* As sssd says it of everybody while it starts. */
static void no_such_user_holds_for_a_minute(void **state)
{
	(void)state;
	error = ENOENT;
	assert_null(astra_user_name(1003));
	resolve(0);
	assert_string_equal(astra_user_name(1003), "1003");
	error = 0;
	assert_int_equal(resolve(59), 0);
	assert_int_equal(resolve(61), 1);
	assert_string_equal(renames, "1003 1003 alice;");
	assert_null(astra_user_name(1004));
	resolve(62);
	assert_string_equal(astra_user_name(1004), "1004");
}

static void a_name_is_remembered_over_a_restart(void **state)
{
	char folder[] = "/tmp/astraea-users-XXXXXX", command[64], file[64];
	struct stat status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	astra_users_open(folder);
	assert_null(astra_user_name(1003));
	resolve(0);
	astra_users_free();
	error = EIO;
	astra_users_open(folder);
	assert_string_equal(astra_user_name(1003), "alice");
	resolve(0);
	assert_string_equal(astra_user_name(1003), "alice");
	error = 0;
	name_of_1003 = alicia;
	resolve(100);
	assert_string_equal(renames, "1003 alice alicia;");
	astra_users_free();
	astra_users_open(folder);
	assert_string_equal(astra_user_name(1003), "alicia");
	/* Nobody else may read who was here. */
	snprintf(file, sizeof(file), "%s/astraea-users", folder);
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_is_asked_for_once),
		TEST(a_long_name_is_kept_whole),
		TEST(a_service_that_fails_is_asked_again),
		TEST(no_such_user_holds_for_a_minute),
		TEST(a_name_is_remembered_over_a_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
