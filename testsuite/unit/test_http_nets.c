/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may connect to sfair web, and by which names. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "src/cmd/sfair/http.h"
#include "testsuite/unit/unit.h"

static bool have(const struct http_nets *nets, const char *address)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, address, &in.sin_addr) == 1)
		return nets ? http_nets_have(nets, (struct sockaddr *)&in)
			    : http_is_loopback((struct sockaddr *)&in);
	assert_int_equal(inet_pton(AF_INET6, address, &in6.sin6_addr), 1);
	return nets ? http_nets_have(nets, (struct sockaddr *)&in6)
		    : http_is_loopback((struct sockaddr *)&in6);
}

static void networks_have_their_addresses_alone(void **state)
{
	static const struct {
		const char *nets, *address;
		bool has;
	} cases[] = {
		{"10.0.0.0/8", "10.255.1.2", true},
		{"10.0.0.0/8", "11.0.0.1", false},
		{"10.0.0.0/8", "::ffff:10.1.1.1", true}, /* of a dual socket */
		{"10.0.0.0/8", "2001:db8::1", false},
		{"192.0.2.7", "192.0.2.7", true},
		{"192.0.2.7", "192.0.2.8", false},
		{"192.0.2.6/31", "192.0.2.7", true},
		{"0.0.0.0/0", "203.0.113.9", true},
		{"0.0.0.0/0", "2001:db8::1", false},
		{"2001:db8::/32", "2001:db8:ffff::1", true},
		{"2001:db8::/32", "2001:db9::1", false},
		{"10.0.0.0/8,2001:db8::/32", "2001:db8::5", true},
		{"all", "203.0.113.9", true},
		{"all", "2001:db8::1", true},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct http_nets nets = {.count = 0};
		struct astra_error err = {""};

		assert_int_equal(http_nets_parse(&nets, cases[i].nets, &err),
				 0);
		if (have(&nets, cases[i].address) != cases[i].has)
			fail_msg("%s, %s", cases[i].nets, cases[i].address);
	}
}

static void what_is_no_network_is_named(void **state)
{
	static const char *const cases[] = {
		"",
		"x",
		"10.0.0.0/33",
		"10.0.0.5/8",
		"10.0.0.0/",
		"10.0.0.0/-1",
		"10/8",
		"::/129",
		"10.0.0.0/8,",
		",10.0.0.0/8",
		"All",
		"10.0.0.0/8 ",
		"10.0.0.0/8x",
		"example.org",
		"2001:db8::1/32",
		"1111111111111111111111111111111111111111111111111111111111111"
		"111111111111111111111",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct http_nets nets = {.count = 0};
		struct astra_error err = {""};

		if (!http_nets_parse(&nets, cases[i], &err))
			fail_msg("\"%s\" is taken", cases[i]);
		assert_non_null(strstr(err.text, "is no address or network"));
	}
}

static void there_is_a_bound_on_networks(void **state)
{
	struct http_nets nets = {.count = 0};
	struct astra_error err = {""};

	(void)state;
	for (size_t i = 0; i < HTTP_NETS_MAX; i++)
		assert_int_equal(http_nets_parse(&nets, "192.0.2.1", &err), 0);
	assert_int_equal(http_nets_parse(&nets, "192.0.2.1", &err), -1);
	assert_non_null(strstr(err.text, "more than 64"));
}

static void loopback_is_known(void **state)
{
	(void)state;
	assert_true(have(NULL, "127.0.0.1"));
	assert_true(have(NULL, "127.255.0.9"));
	assert_true(have(NULL, "::1"));
	assert_true(have(NULL, "::ffff:127.0.0.1"));
	assert_false(have(NULL, "128.0.0.1"));
	assert_false(have(NULL, "0.0.0.0"));
	assert_false(have(NULL, "::"));
}

static void a_name_that_is_not_ours_is_not_known(void **state)
{
	static const char *const good[] = {
		"127.0.0.1",	    "127.0.0.1:8817",	    "[::1]:8817",
		"[2001:db8::1]",    "localhost:8817",	    "LocalHost",
		"gpus.example.org", "GPUS.example.org.:80",
	};
	static const char *const bad[] = {
		"",
		"evil.example",
		"evil.example:8817",
		"gpus.example.org.evil.example",
		"xgpus.example.org",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		"[evil]",
		":8817",
	};
	struct astra_names names = {0};

	(void)state;
	assert_int_equal(astra_names_add(&names, "gpus.example.org", 16), 0);
	for (size_t i = 0; i < ASTRA_COUNT_OF(good); i++)
		if (!http_host_known(good[i], &names))
			fail_msg("\"%s\" is refused", good[i]);
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++)
		if (http_host_known(bad[i], &names))
			fail_msg("\"%s\" is taken", bad[i]);
	astra_names_clear(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networks_have_their_addresses_alone),
		cmocka_unit_test(what_is_no_network_is_named),
		cmocka_unit_test(there_is_a_bound_on_networks),
		cmocka_unit_test(loopback_is_known),
		cmocka_unit_test(a_name_that_is_not_ours_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
