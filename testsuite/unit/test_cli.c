/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/common/cli.h"
#include "testsuite/unit/unit.h"

struct inner {
	const char *text;
	uint32_t whole;
};

struct args {
	struct inner inner;
	uint64_t large;
	double real, above;
	bool flag;
	unsigned kind;
	const char *word;
};

static const struct astra_cli_option inner_options[] = {
	{"text", 't', "TEXT", "a text", ASTRA_CLI_IN(struct inner, text)},
	{"whole", 0, "N", "a number", ASTRA_CLI_IN(struct inner, whole),
	 .least = 1, .most = 9},
	ASTRA_CLI_END,
};

static const struct astra_cli_option options[] = {
	{.rows = inner_options,
	 .offset = offsetof(struct args, inner),
	 .spelling = ASTRA_CLI_BOTH},
	{"large", 'l', "N", "a large one", ASTRA_CLI_IN(struct args, large)},
	ASTRA_CLI_HEADING("Others"),
	{"real", 0, "[=X]",
	 "one with a fraction and a help that does not fit one line of a terminal",
	 ASTRA_CLI_IN(struct args, real), .most = 2.5},
	{"above", 0, "X", NULL, ASTRA_CLI_IN(struct args, above),
	 .least = DBL_MIN, .most = 1},
	{"flag", 'f', NULL, "a flag", ASTRA_CLI_IN(struct args, flag)},
	{"kind", 0, NULL, "three",
	 ASTRA_CLI_BY(astra_cli_constant, struct args, kind), .constant = 3},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int set_word(void *args, const char *word, struct astra_error *err)
{
	struct args *a = args;

	if (a->word)
		return astra_error_set(err, "one word");
	a->word = word;
	return 0;
}

static struct astra_cli cli = {
	.name = "tool run",
	.usage = "tool run [OPTION]...",
	.summary = "Run it.",
	.options = options,
	.word = set_word,
	.end = "The end.",
};
static struct args args;
static struct astra_error err;
static char name[] = "run", line[256], *words[32];

static int parse(const char *text)
{
	int count = 1;

	args = (struct args){.real = -1};
	snprintf(line, sizeof(line), "%s", text);
	words[0] = name;
	for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
		words[count++] = w;
	words[count] = NULL;
	return astra_cli_parse(&cli, count, words, &args, &err);
}

/* Parse with standard output in a file, and give what is in it. */
static const char *printed(const char *text)
{
	static char out[4096];
	int saved = dup(STDOUT_FILENO), rc;
	FILE *file = tmpfile();
	size_t size;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	rc = parse(text);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(rc, 1);
	rewind(file);
	size = fread(out, 1, sizeof(out) - 1, file);
	out[size] = '\0';
	fclose(file);
	return out;
}

static void each_value_goes_where_its_row_says(void **state)
{
	(void)state;
	assert_int_equal(parse("--text=a -l 18446744073709551615 b --whole 9 "
			       "--kind -f --above=1"),
			 0);
	assert_string_equal(args.inner.text, "a");
	assert_int_equal(args.inner.whole, 9);
	assert_true(args.large == UINT64_MAX && args.flag && args.kind == 3);
	assert_true(args.above >= 1 && args.real < 0);
	assert_string_equal(args.word, "b");
	assert_int_equal(parse("--real=2.5 TEXT= w=3"), 0);
	assert_true(args.real > 2.4);
	assert_string_equal(args.inner.text, "");
	assert_int_equal(args.inner.whole, 3);
}

static void an_error_names_option_and_value(void **state)
{
	static const char *const cases[][2] = {
		{"--whole=0", "--whole=0: a whole number from 1 to 9"},
		{"whole=10", "whole=10: a whole number from 1 to 9"},
		{"-l -1",
		 "--large=-1: a whole number from 0 to 18446744073709551615"},
		{"--real=0x1", "--real=0x1: a number from 0 to 2.5"},
		{"--real=2.6", "--real=2.6: a number from 0 to 2.5"},
		{"--real=nan", "--real=nan: a number from 0 to 2.5"},
		{"--above=0", "--above=0: a number above 0, at most 1"},
		{"--text", "--text needs a value: see tool run --help"},
		{"-fx", "unknown option -x: see tool run --help"},
		{"--nix", "unknown option --nix: see tool run --help"},
		{"--flag=1", "--flag=1: the option takes no value"},
		{"a b", "one word"},
		{"flag", NULL}, /* no word of the table: one for set_word() */
		{"real=1", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		assert_int_equal(parse(cases[i][0]), cases[i][1] ? -1 : 0);
		if (cases[i][1])
			assert_string_equal(err.text, cases[i][1]);
	}
}

static void help_and_completion_show_every_row(void **state)
{
	(void)state;
	assert_string_equal(
		printed("-f --help"),
		"Usage: tool run [OPTION]...\n\nRun it.\n\n"
		"  -t, --text=TEXT  a text; or text=\n"
		"      --whole=N    a number; or whole=\n"
		"  -l, --large=N    a large one\n"
		"\nOthers:\n"
		"      --real[=X]   one with a fraction and a help that does not fit one line of\n"
		"                   a terminal\n"
		"  -f, --flag       a flag\n"
		"      --kind       three\n"
		"  -h, --help       this text\n"
		"\nThe end.\n");
	assert_string_equal(
		printed("--completion"),
		"-t\t--text=\tTEXT\ta text\n\ttext=\tTEXT\ta text\n"
		"\t--whole=\tN\ta number\n\twhole=\tN\ta number\n"
		"-l\t--large=\tN\ta large one\n"
		"\t--real\t[=X]\tone with a fraction and a help that does not fit one line of a terminal\n"
		"-f\t--flag\t\ta flag\n\t--kind\t\tthree\n"
		"-h\t--help\t\tthis text\n");
}

static void words_may_be_the_callers(void **state)
{
	(void)state;
	cli.stop = true;
	assert_int_equal(parse("-f cmd --nix --completion"), 0);
	assert_true(args.flag);
	assert_string_equal(words[optind], "cmd");
	cli.stop = false;
	cli.left = true;
	assert_int_equal(parse("cmd -f x"), 0);
	assert_true(args.flag);
	assert_string_equal(words[optind + 1], "x");
	cli.left = false;
	assert_true(astra_cli_takes_next(&cli, "-ft"));
	assert_true(astra_cli_takes_next(&cli, "--whole"));
	assert_false(astra_cli_takes_next(&cli, "--whole=1"));
	assert_false(astra_cli_takes_next(&cli, "--real"));
	assert_false(astra_cli_takes_next(&cli, "-f"));
	assert_false(astra_cli_takes_next(&cli, "-"));
	assert_false(astra_cli_takes_next(&cli, "--"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_value_goes_where_its_row_says),
		cmocka_unit_test(an_error_names_option_and_value),
		cmocka_unit_test(help_and_completion_show_every_row),
		cmocka_unit_test(words_may_be_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
