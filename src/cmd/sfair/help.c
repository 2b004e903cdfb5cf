/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/cmd/sfair/sfair.h"

void sfair_help(void)
{
	fputs("Usage: sfair COMMAND [OPTION]...\n"
	      "\n"
	      "Show how fairly the GPUs are shared, and under which leases.\n"
	      "\n"
	      "Commands:\n"
	      "  tenant                what each tenant had and was entitled to\n"
	      "  job                   the same for each job, and its place in line\n"
	      "  lease                 who holds which GPUs, until when\n"
	      "  auction               the apps and their last auction\n"
	      "  price                 what GPUs cost, where they are sold\n"
	      "  class                 the shares that ogasched has learned\n"
	      "  why JOBID             why a job waits, or what happens to it next\n"
	      "  cluster REPORT        what pools did: see sfair cluster --help\n"
	      "  tenant REPORT         over past time: see sfair tenant --help\n"
	      "  user REPORT           who used what: see sfair user --help\n"
	      "  job REPORT            over past time: see sfair job --help\n"
	      "  adopt                 accounts that begin with the past: sfair adopt --help\n"
	      "  audit                 how fair it was, from accounting: sfair audit --help\n"
	      "  diag                  rounds, locks and counters of the plugin\n"
	      "  check [FILE]          an astraea.conf, before it is used: sfair check --help\n"
	      "  metrics               numbers for Prometheus: see sfair metrics --help\n"
	      "  record                a round as JSON, to be decided again: sfair record --help\n"
	      "  report                a page about past time: sfair report --help\n"
	      "  when JOBID            when a job is expected to start\n"
	      "  top                   all of it, live: see sfair top --help\n"
	      "\n"
	      "Which ones:\n"
	      "  -A, --accounts=NAME,...  accounts or tenants\n"
	      "  -j, --jobs=ID,...        jobs as squeue shows them: 12 or 12_3\n"
	      "      --pool=NAME,...      pools\n"
	      "  -u, --users=NAME,...     users, by name or number\n"
	      "\n"
	      "How shown:\n"
	      "  -n, --noheader           no header\n"
	      "  -o, --format=FIELD[%[-]N],...  these columns, N wide (- : to the left)\n"
	      "      --helpformat         the fields that --format knows\n"
	      "      --json               the plugin's reply, for programs\n"
	      "  -p, --parsable           separated and ended by |\n"
	      "  -P, --parsable2          separated by |\n"
	      "  -t, --time=UNIT          GPU time in Seconds, Minutes (default) or Hours\n"
	      "\n"
	      "Others:\n"
	      "  -h, --help               this text\n"
	      "      --reset              with diag: start the numbers anew (operators)\n"
	      "  -v, --verbose            say whom it asks\n"
	      "  -V, --version            the version\n"
	      "      --where              the sockets that it asks, as variables\n"
	      "\n"
	      "Exit status: 0, or 1 with one line on standard error.\n",
	      stdout);
}

void sfair_list_fields(const char *title, const struct sfair_table *table)
{
	printf("%s:\n", title);
	for (const struct sfair_column *c = table->columns; c->name; c++)
		printf("  %-12s %s\n", c->name, c->help);
	printf("  default: %s\n", table->format);
}
