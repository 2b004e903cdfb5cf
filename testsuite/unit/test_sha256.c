/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NIST's examples of FIPS 180-4, and messages whose end needs a block more,
 * which sha256sum has hashed. */
#include <string.h>

#include "src/common/sha256.h"
#include "testsuite/unit/unit.h"

static void known_messages_have_their_hash(void **state)
{
	static const char *const cases[][2] = {
		{"",
		 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc",
		 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char hex[ASTRA_SHA256_HEX + 1];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		astra_sha256(cases[i][0], strlen(cases[i][0]), hex);
		assert_string_equal(hex, cases[i][1]);
	}
}

static void each_length_of_the_end_is_padded(void **state)
{
	static const struct {
		size_t size; /* of a's */
		const char *hex;
	} cases[] = {
		{55,
		 "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
		{56,
		 "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
		{63,
		 "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
		{64,
		 "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
		{119,
		 "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
		{120,
		 "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
		{1000,
		 "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
	};
	char text[1000], hex[ASTRA_SHA256_HEX + 1];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		astra_sha256(text, cases[i].size, hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_messages_have_their_hash),
		cmocka_unit_test(each_length_of_the_end_is_padded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
