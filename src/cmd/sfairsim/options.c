/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim options: the table of a pool's options, for people and for the
 * manual page, which is made from it. */
#include "src/policy/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"

#define WIDTH 79

static void help(void)
{
	puts("Usage: sfairsim options [--mdoc]\n"
	     "\n"
	     "Print every option of a pool: its values, its default, what it "
	     "does.\n"
	     "\n"
	     "      --mdoc  as in the manual page astraea.conf(5)\n"
	     "  -h, --help  print this help");
}

void sfairsim_print_wrapped(const char *prefix, const char *text)
{
	int used = 2 * WIDTH; /* no line yet */

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (used + 1 + length > WIDTH) {
			fputs(used <= WIDTH ? "\n" : "", stdout);
			used = printf("%s", prefix);
		} else {
			putchar(' ');
			used++;
		}
		used += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_plain(void)
{
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		printf("%s=%s (default %s)\n", row->key, row->values,
		       row->initial);
		sfairsim_print_wrapped("        ", row->help);
	}
}

/* mdoc wants each sentence on a line of its own. */
static void print_sentences(const char *text)
{
	for (const char *at = text; *at;) {
		const char *stop = strstr(at, ". ");

		if (!stop) {
			printf("%s\n", at);
			return;
		}
		printf("%.*s\n", (int)(stop + 1 - at), at);
		at = stop + 2;
	}
}

static void print_mdoc(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		printf(".It Cm %s Ns = Ns Ar %s\n", row->key, row->values);
		print_sentences(row->help);
		printf("The default is\n.Cm %s .\n", row->initial);
	}
	puts(".El");
}

int sfairsim_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"mdoc", no_argument, NULL, 'm'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	bool mdoc = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (c == 'h') {
			help();
			return 0;
		}
		if (c != 'm')
			return sfairsim_error("options: %s is not an option; "
					      "see sfairsim options --help",
					      argv[optind - 1]);
		mdoc = true;
	}
	if (optind < argc)
		return sfairsim_error("options: unexpected argument %s",
				      argv[optind]);
	if (mdoc)
		print_mdoc();
	else
		print_plain();
	return 0;
}
