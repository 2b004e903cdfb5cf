/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "astra_config.h"

#include "src/common/cli.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Setters for the rows of a table. */

int astra_cli_flag(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	(void)row;
	(void)value;
	(void)err;
	*(bool *)at = true;
	return 0;
}

int astra_cli_constant(const struct astra_cli_option *row, void *at,
		       const char *value, struct astra_error *err)
{
	(void)value;
	(void)err;
	*(unsigned *)at = row->constant;
	return 0;
}

int astra_cli_text(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	(void)row;
	(void)err;
	*(const char **)at = value;
	return 0;
}

static int whole(const char *text, uint64_t least, uint64_t most, uint64_t *out,
		 struct astra_error *err)
{
	char *end;

	errno = 0;
	if (isdigit((unsigned char)*text)) {
		*out = strtoull(text, &end, 10);
		if (!*end && !errno && *out >= least && *out <= most)
			return 0;
	}
	return astra_error_set(err,
			       "a whole number from %" PRIu64 " to %" PRIu64,
			       least, most);
}

int astra_cli_u32(const struct astra_cli_option *row, void *at,
		  const char *value, struct astra_error *err)
{
	uint64_t number;

	if (whole(value, (uint64_t)row->least,
		  row->most > 0 ? (uint64_t)row->most : UINT32_MAX, &number,
		  err) < 0)
		return -1;
	*(uint32_t *)at = (uint32_t)number;
	return 0;
}

int astra_cli_u64(const struct astra_cli_option *row, void *at,
		  const char *value, struct astra_error *err)
{
	return whole(value, (uint64_t)row->least,
		     row->most > 0 ? (uint64_t)row->most : UINT64_MAX, at, err);
}

int astra_cli_real(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	double most = row->most > 0 ? row->most : DBL_MAX;
	char *end;
	double number;

	/* strtod() also accepts "nan", "inf" and "0x1p3". */
	if (*value && !value[strspn(value, "0123456789.eE+-")]) {
		number = strtod(value, &end);
		if (!*end && number >= row->least && number <= most) {
			*(double *)at = number;
			return 0;
		}
	}
	if (row->least > 0 && row->least <= DBL_MIN)
		return astra_error_set(err, "a number above 0, at most %.10g",
				       most);
	return astra_error_set(err, "a number from %.10g to %.10g", row->least,
			       most);
}

#define ROWS_MAX 64
#define COLUMN_MAX 30 /* where helps begin, at most */
#define FIRST_LONG 256
#define WIDTH 79

struct cli_entry {
	const struct astra_cli_option *row;
	size_t offset; /* in args */
	enum astra_cli_spelling spelling;
};

/* A table without its nested tables, also in getopt's form. */
struct cli_table {
	struct cli_entry entries[ROWS_MAX + 1]; /* ended by an empty row */
	struct option longs[ROWS_MAX + 1];
	char shorts[2 * ROWS_MAX + 3];
	size_t count, long_count, short_count;
};

static bool cli_optional(const struct astra_cli_option *row)
{
	return row->value && !strncmp(row->value, "[=", 2);
}

static void cli_add_option(struct cli_table *t,
			   const struct astra_cli_option *row)
{
	t->longs[t->long_count++] = (struct option){
		.name = row->name,
		.has_arg = cli_optional(row) ? optional_argument
			   : row->value	     ? required_argument
					     : no_argument,
		.val = FIRST_LONG + (int)t->count,
	};
	if (!row->letter)
		return;
	t->shorts[t->short_count++] = row->letter;
	if (row->value)
		t->shorts[t->short_count++] = ':';
}

/* Add rows. whole: the row that stands for this nested table. */
static void cli_add(struct cli_table *t, const struct astra_cli_option *row,
		    const struct cli_entry *whole)
{
	for (; row->name || row->help || row->rows; row++) {
		struct cli_entry e = {
			.row = row,
			.offset = whole->offset + row->offset,
			.spelling =
				row->spelling ? row->spelling : whole->spelling,
		};

		if (row->rows) {
			cli_add(t, row->rows, &e);
			continue;
		}
		assert(t->count < ROWS_MAX);
		if (row->name && e.spelling != ASTRA_CLI_WORD)
			cli_add_option(t, row);
		t->entries[t->count++] = e;
	}
}

static void cli_table_make(struct cli_table *t, const struct astra_cli *cli)
{
	*t = (struct cli_table){0};
	if (cli->stop)
		t->shorts[t->short_count++] = '+';
	t->shorts[t->short_count++] = ':';
	cli_add(t, cli->options, &(struct cli_entry){0});
}

/* Return the index of the row that getopt found, or the count of rows. */
static size_t cli_find(const struct cli_table *t, int option)
{
	size_t i = 0;

	if (option >= FIRST_LONG)
		return (size_t)(option - FIRST_LONG);
	while (i < t->count && (option == '?' || option == ':' ||
				t->entries[i].row->letter != option))
		i++;
	return i;
}

void astra_cli_wrap(size_t used, const char *prefix, const char *text)
{
	const char *space = "";

	while (*text) {
		size_t size = strcspn(text, " ");

		if (!used || used + strlen(space) + size > WIDTH) {
			printf("%s%s", used ? "\n" : "", prefix);
			used = strlen(prefix);
			space = "";
		}
		used += (size_t)printf("%s%.*s", space, (int)size, text);
		space = " ";
		text += size + strspn(text + size, " ");
	}
	putchar('\n');
}

/* Write "  -A, --accounts=NAME,...". */
static size_t cli_names(const struct cli_entry *e, char *out, size_t size)
{
	const struct astra_cli_option *row = e->row;

	return (size_t)snprintf(
		out, size, "  %c%c%c %s%s%s%s", row->letter ? '-' : ' ',
		row->letter ? row->letter : ' ', row->letter ? ',' : ' ',
		e->spelling == ASTRA_CLI_WORD ? "" : "--", row->name,
		row->value && !cli_optional(row) ? "=" : "",
		row->value ? row->value : "");
}

/* Return the column in which the help texts begin. */
static size_t cli_column(const struct cli_table *t)
{
	size_t column = 0;
	char names[80];

	for (const struct cli_entry *e = t->entries; e->row; e++) {
		size_t size = 0;

		if (e->row->name && e->row->help)
			size = cli_names(e, names, sizeof(names)) + 2;
		if (size > column && size <= COLUMN_MAX)
			column = size;
	}
	return column;
}

static void cli_print_option(const struct cli_entry *e, size_t column)
{
	char names[80], spaces[COLUMN_MAX + 1], help[320];
	size_t used = cli_names(e, names, sizeof(names));
	bool both = e->spelling == ASTRA_CLI_BOTH;

	snprintf(spaces, sizeof(spaces), "%*s", (int)column, "");
	snprintf(help, sizeof(help), "%s%s%s%s", e->row->help,
		 both ? "; or " : "", both ? e->row->name : "",
		 both && e->row->value ? "=" : "");
	printf("%s", names);
	if (used + 2 > column && used + 2 + strlen(help) > WIDTH) {
		putchar('\n');
		used = 0;
	} else {
		used += (size_t)printf(
			"%*s", used + 2 > column ? 2 : (int)(column - used),
			"");
	}
	astra_cli_wrap(used, spaces, help);
}

static void cli_print_help(const struct astra_cli *cli,
			   const struct cli_table *t)
{
	size_t column = cli_column(t);

	printf("Usage: %s\n\n%s\n", cli->usage, cli->summary);
	if (cli->lists)
		cli->lists(cli);
	if (t->entries->row->name)
		putchar('\n');
	for (const struct cli_entry *e = t->entries; e->row; e++) {
		if (!e->row->name)
			printf("\n%s:\n", e->row->help);
		else if (e->row->help)
			cli_print_option(e, column);
	}
	if (cli->end)
		printf("\n%s\n", cli->end);
}

/* Print for each option its letter, its name with a = if it takes a value, what
 * the value is, and the help, separated by tabs; likewise for each
 * KEY=VALUE. */
static void cli_print_completion(const struct cli_table *t)
{
	for (const struct cli_entry *e = t->entries; e->row; e++) {
		const struct astra_cli_option *row = e->row;
		const char *value = row->value ? row->value : "";
		const char *mark = *value && !cli_optional(row) ? "=" : "";

		if (!row->name || !row->help)
			continue;
		if (e->spelling != ASTRA_CLI_WORD)
			printf("%s%.1s\t--%s%s\t%s\t%s\n",
			       row->letter ? "-" : "", &row->letter, row->name,
			       mark, value, row->help);
		if (e->spelling != ASTRA_CLI_DASHES)
			printf("\t%s%s\t%s\t%s\n", row->name, mark, value,
			       row->help);
	}
}

static int cli_bad_option(const struct astra_cli *cli, int option,
			  const char *word, struct astra_error *err)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	bool named = !strncmp(word, "--", 2);

	if (option == ':')
		return astra_error_set(err,
				       "%.64s needs a value: see %s --help",
				       word, cli->name);
	if (named && optopt)
		return astra_error_set(err, "%.64s: the option takes no value",
				       word);
	return astra_error_set(err, "unknown option %.64s: see %s --help",
			       named ? word : letter, cli->name);
}

/* Set an option. dashes: "--", or "" for a word. */
static int cli_set(const struct cli_entry *e, const char *dashes,
		   const char *value, void *args, struct astra_error *err)
{
	struct astra_error inner = {""};

	if (!e->row->set(e->row, (char *)args + e->offset, value, &inner))
		return 0;
	return astra_error_set(err, "%s%s%s%.64s: %s", dashes, e->row->name,
			       value ? "=" : "", value ? value : "",
			       inner.text);
}

/* Return the option that a word sets; NULL: none. Keys may be shortened, as in
 * sreport. */
static const struct cli_entry *cli_find_word(const struct cli_table *t,
					     const char *word)
{
	const char *equals = strchr(word, '=');
	size_t size = equals ? (size_t)(equals - word) : strlen(word);

	for (const struct cli_entry *e = t->entries; e->row; e++)
		if (e->spelling != ASTRA_CLI_DASHES && e->row->name && size &&
		    !e->row->value == !equals &&
		    !strncasecmp(e->row->name, word, size) &&
		    (equals || !e->row->name[size]))
			return e;
	return NULL;
}

static int cli_parse_word(const struct astra_cli *cli,
			  const struct cli_table *t, const char *word,
			  void *args, struct astra_error *err)
{
	const struct cli_entry *e = cli_find_word(t, word);
	const char *equals = strchr(word, '=');

	if (e)
		return cli_set(e, "", equals ? equals + 1 : NULL, args, err);
	if (cli->word)
		return cli->word(args, word, err);
	return astra_error_set(err, "unexpected \"%.64s\": see %s --help", word,
			       cli->name);
}

/* Apply an option. Returns as astra_cli_parse() does, 1 if there is nothing
 * more to do. */
static int cli_apply(const struct astra_cli *cli, const struct cli_table *t,
		     const struct cli_entry *e, void *args,
		     struct astra_error *err)
{
	if (e->row->set)
		return cli_set(e, "--", optarg, args, err);
	if (e->row->letter == 'h')
		cli_print_help(cli, t);
	else
		printf("%.*s " ASTRA_RELEASE "\n", (int)strcspn(cli->name, " "),
		       cli->name);
	return 1;
}

int astra_cli_parse(const struct astra_cli *cli, int argc, char **argv,
		    void *args, struct astra_error *err)
{
	struct cli_table t;
	int option, rc = 0;

	cli_table_make(&t, cli);
	if (argc > 1 &&
	    !strcmp(argv[cli->stop ? 1 : argc - 1], "--completion")) {
		cli_print_completion(&t);
		return 1;
	}
	opterr = 0;
	optind = 0; /* restart getopt */
	while (!rc && (option = getopt_long(argc, argv, t.shorts, t.longs,
					    NULL)) != -1) {
		size_t i = cli_find(&t, option);

		rc = i < t.count ? cli_apply(cli, &t, &t.entries[i], args, err)
				 : cli_bad_option(cli, option, argv[optind - 1],
						  err);
	}
	for (; !rc && !cli->left && !cli->stop && optind < argc; optind++)
		rc = cli_parse_word(cli, &t, argv[optind], args, err);
	return rc;
}

bool astra_cli_takes_next(const struct astra_cli *cli, const char *word)
{
	struct cli_table t;
	const struct option *o;
	size_t size = strlen(word);

	if (size < 2)
		return false;
	cli_table_make(&t, cli);
	if (word[1] != '-') {
		size_t i = cli_find(&t, word[size - 1]);

		return i < t.count && t.entries[i].row->value;
	}
	for (o = t.longs; o->name && strcmp(o->name, word + 2) != 0; o++)
		;
	return size > 2 && o->has_arg == required_argument;
}
