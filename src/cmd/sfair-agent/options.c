/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/options.h"

#include <getopt.h>
#include <signal.h>
#include <string.h>

#include "src/client/place.h"

enum { OPT_SEND = 256 };

/* "+": what follows the first word that is no option is the command's. */
static const char short_options[] = "+:hvV";

static const struct option long_options[] = {
	{"help", no_argument, NULL, 'h'},
	{"send", required_argument, NULL, OPT_SEND},
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static int bad_option(int option, char **argv, struct astra_error *err)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return astra_error_set(
			err, "%.64s needs a value: see sfair-agent --help",
			word);
	if (optopt && !strncmp(word, "--", 2))
		return astra_error_set(err, "%.64s: the option takes no value",
				       word);
	return astra_error_set(
		err, "unknown option %.64s: see sfair-agent --help", word);
}

static int read_send(const char *text, int *out, struct astra_error *err)
{
	const char *name = strncmp(text, "SIG", 3) ? text : text + 3;

	*out = sfair_place_signal(name);
	if (!*out || *out == SIGKILL || *out == SIGSTOP)
		return astra_error_set(
			err,
			"--send=%.64s: a signal that can be caught, as TERM or USR1",
			text);
	return 0;
}

static int apply(int option, char **argv, struct agent_options *o,
		 struct astra_error *err)
{
	switch (option) {
	case 'h':
		o->help = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case 'V':
		o->version = true;
		return 0;
	case OPT_SEND:
		return read_send(optarg, &o->send, err);
	default:
		return bad_option(option, argv, err);
	}
}

int agent_options_read(int argc, char **argv, struct agent_options *o,
		       struct astra_error *err)
{
	int option;

	*o = (struct agent_options){0};
	opterr = 0;
	optind = 0; /* anew, with "+" */
	while ((option = getopt_long(argc, argv, short_options, long_options,
				     NULL)) != -1)
		if (apply(option, argv, o, err) < 0)
			return -1;
	o->words = argv + optind;
	if (!o->help && !o->version && !*o->words)
		return astra_error_set(
			err, "which command? sfair-agent [OPTION]... -- CMD "
			     "[ARG]...: see sfair-agent --help");
	return 0;
}
