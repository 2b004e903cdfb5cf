/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/args.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"

#define OPTIONS_MAX 64
#define HELP_COLUMN 26

/* Both tables as getopt wants them, and in one row. */
struct options {
	const struct sfairsim_option *rows[OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2 * OPTIONS_MAX + 2];
	size_t count, short_count;
};

static bool value_optional(const struct sfairsim_option *row)
{
	return row->value && *row->value == '[';
}

static int argument_of(const struct sfairsim_option *row)
{
	if (value_optional(row))
		return optional_argument;
	return row->value ? required_argument : no_argument;
}

static void add_options(struct options *o, const struct sfairsim_option *row)
{
	for (; row->name && o->count < OPTIONS_MAX; row++) {
		o->longs[o->count] = (struct option){
			.name = row->name,
			.has_arg = argument_of(row),
			.val = 256 + (int)o->count,
		};
		if (row->letter) {
			o->shorts[o->short_count++] = row->letter;
			if (row->value)
				o->shorts[o->short_count++] = ':';
		}
		o->rows[o->count++] = row;
	}
}

static const struct sfairsim_option *find_option(const struct options *o, int c)
{
	if (c >= 256)
		return o->rows[c - 256];
	for (size_t i = 0; i < o->count; i++)
		if (c != '?' && o->rows[i]->letter == c)
			return o->rows[i];
	return NULL;
}

static void print_option(const struct sfairsim_option *row)
{
	const char *help = row->help;
	char names[64];
	int used;

	snprintf(names, sizeof(names), "  %c%c%c --%s%s%s",
		 row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
		 row->letter ? ',' : ' ', row->name,
		 row->value && !value_optional(row) ? "=" : "",
		 row->value ? row->value : "");
	used = printf("%s", names);
	if (used > HELP_COLUMN - 2) {
		putchar('\n');
		used = 0;
	}
	while (*help) {
		int size = (int)strcspn(help, "\n");

		printf("%*s%.*s\n", HELP_COLUMN - used, "", size, help);
		help += size + (help[size] == '\n');
		used = 0;
	}
}

static void print_help(const struct sfairsim_usage *usage,
		       const struct options *o)
{
	printf("Usage: sfairsim %s [OPTION]...\n\n%s\n\n", usage->name,
	       usage->summary);
	for (size_t i = 0; i < o->count; i++)
		print_option(o->rows[i]);
}

/* "start=TIME" and "end=TIME", as Slurm's reports have them. */
static int parse_word(struct sfairsim_args *args, const char *word,
		      struct astra_error *err)
{
	if (!strncmp(word, "start=", 6))
		args->start = word + 6;
	else if (!strncmp(word, "end=", 4))
		args->end = word + 4;
	else
		return astra_error_set(err, "unexpected argument %s", word);
	return 0;
}

static int set_option(const struct sfairsim_option *row,
		      struct sfairsim_args *args, struct astra_error *err)
{
	struct astra_error inner = {""};

	if (row->set(args, optarg, &inner) == 0)
		return 0;
	return astra_error_set(err, "--%s=%s: %s", row->name,
			       optarg ? optarg : "", inner.text);
}

int sfairsim_parse(const struct sfairsim_usage *usage, int argc, char **argv,
		   struct sfairsim_args *args, struct astra_error *err)
{
	struct options o = {0};
	int c;

	add_options(&o, usage->own);
	add_options(&o, sfairsim_common_options);
	opterr = 0;
	while ((c = getopt_long(argc, argv, o.shorts, o.longs, NULL)) != -1) {
		const struct sfairsim_option *row = find_option(&o, c);

		if (!row)
			return astra_error_set(
				err,
				"%s: %s is not an option or lacks its value; see sfairsim %s --help",
				usage->name, argv[optind - 1], usage->name);
		if (set_option(row, args, err) < 0)
			return -1;
		if (args->help) {
			print_help(usage, &o);
			return 0;
		}
	}
	for (; optind < argc; optind++)
		if (parse_word(args, argv[optind], err) < 0)
			return -1;
	return 0;
}
