/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in JSON are those of printf()'s "%.15g", to the last digit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/encode.h"
#include "src/common/random.h"
#include "testsuite/unit/unit.h"

#define DRAWS 100000

static struct astra_text text;

static void expect(double value)
{
	char wanted[40];

	if (!isfinite(value))
		return;
	snprintf(wanted, sizeof(wanted), "%.15g", value);
	text.size = 0;
	astra_encode_real(&text, value);
	if (strcmp(text.bytes, wanted) != 0)
		fail_msg("%a: %s instead of %s", value, text.bytes, wanted);
}

static void with_neighbours(double value)
{
	expect(value);
	expect(-value);
	expect(nextafter(value, 0));
	expect(nextafter(value, INFINITY));
}

static void powers_of_ten_and_their_neighbours(void **state)
{
	(void)state;
	for (int e = -320; e <= 308; e++) {
		char name[16];
		double ten;

		snprintf(name, sizeof(name), "1e%d", e);
		ten = strtod(name, NULL);
		with_neighbours(ten);
		with_neighbours(ten * 9.9999999999999949);
		with_neighbours(ten * 9.9999999999999951);
		with_neighbours(ten * 0.5);
	}
}

static void any_bits(void **state)
{
	struct astra_random random = astra_random_seed(1);

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		uint64_t bits = astra_random_bits(&random);
		double value;

		memcpy(&value, &bits, sizeof(value));
		expect(value);
	}
}

/* Of every size that plain digits are written for, with few digits and with
 * many. */
static void numbers_of_every_size(void **state)
{
	struct astra_random random = astra_random_seed(2);

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		double size =
			pow(10, (int)(astra_random_bits(&random) % 22) - 6);
		double value = (double)(astra_random_bits(&random) >> 11) *
			       0x1p-53 * size;
		double grain =
			pow(10, (double)(astra_random_bits(&random) % 7));

		with_neighbours(value);
		with_neighbours(round(value * grain) / grain);
	}
}

/* Exactly between two numbers of 15 digits: printf() takes the even one. */
static void ties(void **state)
{
	struct astra_random random = astra_random_seed(3);

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		uint64_t whole =
			UINT64_C(100000000000000) +
			astra_random_bits(&random) % UINT64_C(900000000000000);

		expect((double)whole + 0.5);
		expect(((double)whole + 0.5) / 1024);
		expect(((double)(whole / 1000 * 1000) + 500) * 1e-3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powers_of_ten_and_their_neighbours),
		cmocka_unit_test(any_bits),
		cmocka_unit_test(numbers_of_every_size),
		cmocka_unit_test(ties),
	};
	int rc;

	astra_text_printf(&text, "%64s", "");
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	astra_text_clear(&text);
	return rc;
}
