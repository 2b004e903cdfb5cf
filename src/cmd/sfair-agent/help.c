/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/cmd/sfair-agent/options.h"

void agent_help(void)
{
	fputs("Usage: sfair-agent [OPTION]... -- CMD [ARG]...\n"
	      "\n"
	      "Run CMD and hand the job's checkpoint signal on to all processes below it that\n"
	      "catch it.\n"
	      "\n"
	      "Signals:\n"
	      "      --send=SIGNAL        send them this one in its place, as TERM\n"
	      "\n"
	      "Others:\n"
	      "  -h, --help               this text\n"
	      "  -v, --verbose            say on standard error what it does\n"
	      "  -V, --version            the version\n"
	      "\n"
	      "Exit status: CMD's; 127 if it is not found, 126 if it cannot be run, 125 for a\n"
	      "wrong option.\n",
	      stdout);
}
