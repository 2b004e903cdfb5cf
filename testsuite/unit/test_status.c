/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurmctld tells of where the plugin answers, and the path that becomes
 * of it. */
#include "src/proto/dial.h"
#include "src/proto/listen.h"
#include "src/proto/status.h"
#include "testsuite/unit/unit.h"

static void what_is_written_is_read(void **state)
{
	const struct astra_status told = {true, 7817, "ctl-1"};
	struct astra_status read;
	struct astra_text text = {0};

	(void)state;
	astra_status_write(&told, &text);
	assert_string_equal(
		text.bytes,
		"astraea protocol=1 answers=yes port=7817 host=ctl-1\n");
	assert_true(astra_status_read(text.bytes, &read));
	assert_true(read.answers);
	assert_int_equal(read.port, 7817);
	assert_string_equal(read.host, "ctl-1");
	astra_text_clear(&text);
}

static void what_comes_from_outside_is_looked_at(void **state)
{
	static const struct {
		const char *text;
		bool ours, answers;
		unsigned int port;
	} cases[] = {
		{NULL, false, false, 0},
		{"", false, false, 0},
		{"No datawarp sessions found", false, false, 0},
		{"astraea: see sfair", false, false, 0},
		{"astraea ", true, false, 0},
		{"astraea answers=yes port=1", true, true, 1},
		{"astraea later=7 port=65535 answers=yes\n", true, true, 65535},
		{"astraea port=65536", true, false, 0},
		{"astraea port=-1", true, false, 0},
		{"astraea port=7817x answers=yesterday", true, false, 0},
		{"astraea port=\nport=7", true, false, 0},
	};
	char text[400] = "astraea host=";

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_status read = {0};

		assert_int_equal(astra_status_read(cases[i].text, &read),
				 cases[i].ours);
		assert_int_equal(read.answers, cases[i].answers);
		assert_int_equal(read.port, cases[i].port);
	}
	memset(text + strlen(text), 'h', sizeof(text) - strlen(text) - 1);
	assert_true(astra_status_read(text, &(struct astra_status){0}));
}

/* The one that is in charge first, then the others in turn. */
static void all_controllers_are_in_the_path(void **state)
{
	char a[] = "a", b[] = "10.0.0.2", c[] = "fe80::1";
	char *const hosts[] = {a, b, c};
	struct astra_text text = {0};

	(void)state;
	astra_dial_write(NULL, hosts, 3, 1, 7817, 64030, &text);
	assert_string_equal(text.bytes,
			    "64030@10.0.0.2:7817,[fe80::1]:7817,a:7817");
	astra_text_clear(&text);
	astra_dial_write("2001:db8::7", hosts, 1, 0, 7817, 0, &text);
	assert_string_equal(text.bytes, "0@[2001:db8::7]:7817,a:7817");
	astra_text_clear(&text);
}

static void the_port_is_beside_slurmctlds(void **state)
{
	(void)state;
	assert_int_equal(astra_listen_default(6817), 7817);
	assert_int_equal(astra_listen_default(64535), 65535);
	assert_int_equal(astra_listen_default(64536), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_comes_from_outside_is_looked_at),
		cmocka_unit_test(all_controllers_are_in_the_path),
		cmocka_unit_test(the_port_is_beside_slurmctlds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
