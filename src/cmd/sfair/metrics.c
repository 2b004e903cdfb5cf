/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair metrics: once on standard output, or to whoever asks over HTTP. */
#include "src/cmd/sfair/metrics.h"

#include <getopt.h>
#include <stdio.h>

#include "src/cmd/sfair/sfair.h"
#include "src/proto/listen.h"

enum { OPT_LISTEN = 256, OPT_MDOC, OPT_PROMETHEUS };

struct options {
	const char *listen;
	bool help, mdoc, plain, verbose;
};

static void help(void)
{
	fputs("Usage: sfair metrics [OPTION]...\n"
	      "\n"
	      "Print GPUs, jobs, leases, tenants' fairness, rounds and queries as OpenMetrics\n"
	      "text, for Prometheus and others. sfair(1) lists the metrics.\n"
	      "\n"
	      "      --listen=[ADDRESS:]PORT  answer scrapes of /metrics there over HTTP,\n"
	      "                           until a SIGTERM; port 0: any that is free\n"
	      "      --mdoc               the metrics as in the manual page\n"
	      "      --prometheus         in Prometheus' older text format, as the textfile\n"
	      "                           collector of its node_exporter wants it\n"
	      "  -h, --help               this text\n"
	      "  -v, --verbose            say whom it asks\n"
	      "\n"
	      "Exit status: 0, or 1 with one line on standard error; if the plugin does not\n"
	      "answer, then with astraea_up 0 on standard output.\n",
	      stdout);
}

static int apply_option(int option, struct options *options,
			struct astra_error *err, const char *word)
{
	switch (option) {
	case 'h':
		options->help = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case OPT_LISTEN:
		options->listen = optarg;
		if (astra_listen_valid(optarg, 0))
			return 0;
		return astra_error_set(
			err,
			"--listen=%.64s: PORT or ADDRESS:PORT, a port from 0 to 65535",
			optarg);
	case OPT_MDOC:
		options->mdoc = true;
		return 0;
	case OPT_PROMETHEUS:
		options->plain = true;
		return 0;
	default:
		return astra_error_set(
			err,
			option == ':'
				? "%.64s needs a value: see sfair metrics --help"
				: "unknown option %.64s: see sfair metrics --help",
			word);
	}
}

static int parse(int argc, char **argv, struct options *options,
		 struct astra_error *err)
{
	static const struct option known[] = {
		{"help", no_argument, NULL, 'h'},
		{"listen", required_argument, NULL, OPT_LISTEN},
		{"mdoc", no_argument, NULL, OPT_MDOC},
		{"prometheus", no_argument, NULL, OPT_PROMETHEUS},
		{"verbose", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hv", known, NULL)) != -1)
		if (apply_option(option, options, err, argv[optind - 1]) < 0)
			return -1;
	if (optind < argc)
		return astra_error_set(
			err, "unexpected \"%.64s\": see sfair metrics --help",
			argv[optind]);
	if (options->listen && options->plain)
		return astra_error_set(
			err,
			"--prometheus does not go with --listen: there the scraper chooses the format");
	return 0;
}

/* What the plugin's silence leaves is printed, too. */
static int print_once(struct metrics_scraper *scraper, bool plain,
		      struct astra_error *err)
{
	struct astra_text text = {0};
	int rc = metrics_scrape(scraper, plain, &text);

	if (rc < 0)
		*err = scraper->err;
	if (text.failed)
		rc = astra_error_nomem(err);
	else
		fwrite(text.bytes, 1, text.size, stdout);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	astra_text_clear(&text);
	return rc;
}

int sfair_metrics(int argc, char **argv, struct astra_error *err)
{
	struct options options = {0};
	struct metrics_scraper scraper = {0};
	int rc = parse(argc, argv, &options, err);

	if (rc < 0)
		return -1;
	if (options.help || options.mdoc) {
		if (options.help)
			help();
		else
			metrics_mdoc();
		return 0;
	}
	scraper.verbose = options.verbose;
	scraper.serves = options.listen != NULL;
	rc = metrics_scraper_open(&scraper, err);
	if (!rc && options.listen)
		rc = metrics_serve(&scraper, options.listen, err);
	else if (!rc)
		rc = print_once(&scraper, options.plain, err);
	metrics_scraper_close(&scraper);
	return rc;
}
