/* SPDX-License-Identifier: GPL-2.0-or-later */
/* astraea.conf read without Slurm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/policies/options.h"
#include "src/sim/conf.h"
#include "testsuite/unit/unit.h"

static char path[] = "/tmp/astra-conf-XXXXXX";

static void write_conf(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static int make_file(void **state)
{
	(void)state;
	return mkstemp(path) < 0 ? -1 : 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void refused(const char *text, const char *pool, const char *fragment)
{
	struct astra_error err = {""};
	struct astra_options options;

	write_conf(text);
	astra_options_init(&options);
	options.lease_sec = 777;
	assert_int_equal(astra_conf_options(path, pool, &options, &err), -1);
	if (!strstr(err.text, fragment))
		fail_msg("\"%s\" is not in \"%s\"", fragment, err.text);
	assert_true(options.lease_sec >= 777 && options.lease_sec <= 777);
}

static void accepted(const char *text, const char *pool, int lease_sec,
		     int round_sec)
{
	struct astra_error err = {""};
	struct astra_options options;

	write_conf(text);
	astra_options_init(&options);
	if (astra_conf_options(path, pool, &options, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(options.lease_sec, lease_sec);
	assert_int_equal(options.round_sec, round_sec);
}

static void a_pool_has_what_stands_above_it_and_its_own(void **state)
{
	static const char two[] = "# comment\n"
				  "Pool=a Partitions=x leaseterm=10:00\n"
				  "RoundInterval=20\n"
				  "Pool=b Partitions=y,z \\\n"
				  "   LeaseTerm=1:00:00 RoundInterval=30\n"
				  "Tenant=t Accounts=u Weight=2\n"
				  "Socket=/run/s\n";

	(void)state;
	accepted("LeaseTerm=600\n", NULL, 600, 10);
	accepted("LeaseTerm=600\nPool=a Partitions=x\n", NULL, 600, 10);
	accepted(two, "a", 600, 20);
	accepted(two, "B", 3600, 30);
	accepted("", NULL, 900, 10);
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	refused("Pool=a\nPool=b\n", NULL, "which --pool? There are: a; b");
	refused("Pool=a\nPool=b\n", "c", "there is no pool c; there are: a; b");
	refused("\nPool=a LeaseTerm=x\n", "a", "line 2: LeaseTerm=x");
	refused("RoundInterval=x\n", NULL, "line 1: RoundInterval=x");
	refused("Lease=5\n", NULL, "line 1: Lease=5: there is no such key");
	refused("Pool=a LeaseTerm\n", NULL, "\"LeaseTerm\" has no value");
	refused("LeaseTerm=30\n", NULL, "CheckpointGrace=60 is not shorter");
}

static void weights_are_of_tenants_by_name(void **state)
{
	struct astra_trace_tenant tenants[] = {{"a", 1}, {"b", 1}, {"c", 1}};
	struct astra_trace trace = {.tenants = tenants, .tenant_count = 3};
	struct astra_error err = {""};

	(void)state;
	write_conf("Tenant=b Accounts=x Weight=2.5\nTenant=z Weight=9\n"
		   "Tenant=c Weight=0\n");
	assert_int_equal(astra_conf_weights(path, &trace, &err), 0);
	assert_true(tenants[0].weight >= 1 && tenants[0].weight <= 1);
	assert_true(tenants[1].weight >= 2.5 && tenants[1].weight <= 2.5);
	assert_true(tenants[2].weight <= 0);
	write_conf("Tenant=b Weight=-1\n");
	assert_int_equal(astra_conf_weights(path, &trace, &err), -1);
	assert_non_null(strstr(err.text, "line 1: Weight=-1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_has_what_stands_above_it_and_its_own),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(weights_are_of_tenants_by_name),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
