/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command's options in a table. From its rows come the parsing, the errors,
 * --help, and --completion, which lists them for shells and for the check of
 * the manual pages. Pure except for standard output. */
#ifndef ASTRA_CLI_H
#define ASTRA_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

enum astra_cli_spelling {
	ASTRA_CLI_DASHES, /* --name=VALUE */
	ASTRA_CLI_WORD,	  /* name=VALUE without dashes, as in sreport */
	ASTRA_CLI_BOTH,
};

/* An option. A row of zeros ends a table. */
struct astra_cli_option {
	const char *name;  /* NULL: a heading */
	char letter;	   /* 0: none */
	const char *value; /* name of the value; NULL: takes none; "[=X]":
			    * optional */
	const char *help;  /* NULL: a second name of the row before; not
			    * shown */
	/* Set the option. at: args + offset. value: NULL if there is none, else
	 * borrowed for as long as argv lives. Returns 0, or -1 with err saying
	 * what is valid; the caller puts option and value before that text.
	 * NULL: for help and version. */
	int (*set)(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
	size_t offset;
	double least, most; /* bounds of numbers; most 0: as the type allows */
	unsigned constant;  /* of astra_cli_constant() */
	enum astra_cli_spelling spelling;
	/* If not NULL, this row stands for all rows of that table. Its offset
	 * is added to theirs. Rows without a spelling take the spelling of this
	 * row. */
	const struct astra_cli_option *rows;
};

struct astra_cli {
	const char *name;    /* "sfair top": errors refer to its --help */
	const char *usage;   /* the text after "Usage: " */
	const char *summary; /* what the command does, in several lines */
	/* If not NULL: prints the part of --help that comes before the
	 * options. */
	void (*lists)(const struct astra_cli *cli);
	const struct astra_cli_option *options;
	const char *end; /* last part of --help; NULL: none */
	/* Take a word that is not an option. NULL: such words are refused.
	 * Returns 0, or -1 with err set. */
	int (*word)(void *args, const char *word, struct astra_error *err);
	bool left; /* words are left to the caller, from optind on */
	bool stop; /* everything after the first word is also left */
};

/* Setters by type: set a flag to true; set a text, borrowed from argv; set a
 * number from least to most. least DBL_MIN: the number must be above 0. */
int astra_cli_flag(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
int astra_cli_text(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
int astra_cli_u32(const struct astra_cli_option *row, void *at,
		  const char *value, struct astra_error *err);
int astra_cli_u64(const struct astra_cli_option *row, void *at,
		  const char *value, struct astra_error *err);
int astra_cli_real(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
/* Set an enum to the row's constant. */
int astra_cli_constant(const struct astra_cli_option *row, void *at,
		       const char *value, struct astra_error *err);

/* The end of a row whose value goes into a member, by the member's type. */
#define ASTRA_CLI_IN(type, member) \
	.set = _Generic(((type *)NULL)->member, bool                           \
			: astra_cli_flag, const char *                         \
			: astra_cli_text, uint32_t                             \
			: astra_cli_u32, uint64_t                              \
			: astra_cli_u64, double                                \
			: astra_cli_real),                                     \
	.offset = offsetof(type, member)

/* The end of a row with a setter of its own. */
#define ASTRA_CLI_BY(setter, type, member) \
	.set = (setter), .offset = offsetof(type, member)

#define ASTRA_CLI_HEADING(text) \
	{                       \
		.help = (text)  \
	}
/* Rows that every command has. */
#define ASTRA_CLI_HELP                                      \
	{                                                   \
		"help", 'h', NULL, "this text", .set = NULL \
	}
#define ASTRA_CLI_VERSION                                        \
	{                                                        \
		"version", 'V', NULL, "the version", .set = NULL \
	}
#define ASTRA_CLI_END        \
	{                    \
		.name = NULL \
	}

/* Parse a command line; argv[0] is skipped. args: has its defaults. Returns 0;
 * 1 if the output of help, version or completion was printed; or -1 with err
 * saying what is wrong. */
int astra_cli_parse(const struct astra_cli *cli, int argc, char **argv,
		    void *args, struct astra_error *err);

/* Whether a word is an option whose value is the next word. */
bool astra_cli_takes_next(const struct astra_cli *cli, const char *word);

/* Print the words of a text in lines that fit a terminal, each after the
 * prefix. used: columns already used in the first line. */
void astra_cli_wrap(size_t used, const char *prefix, const char *text);

#endif
