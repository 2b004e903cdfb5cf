/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/cmd/sfair-agent/options.h"

void agent_help(void)
{
	fputs("Usage: sfair-agent [OPTION]... -- CMD [ARG]...\n"
	      "       sfair-agent --app=NAME|--job=NUMBER [OPTION]...\n"
	      "\n"
	      "Run CMD and hand the job's checkpoint signal on to all processes below it that\n"
	      "catch it. Or watch over an app: bid for GPUs, say which of its jobs are to have\n"
	      "them, and end those that the search gives up.\n"
	      "\n"
	      "Signals:\n"
	      "      --send=SIGNAL        send them this one in its place, as TERM\n"
	      "      --exit=CODE          and once it was sent, end with this code if CMD fails\n"
	      "\n"
	      "Progress, of what CMD writes:\n"
	      "      --progress=REGEX     lines that tell it, or one of tensorflow, tqdm,\n"
	      "                           lightning, huggingface; several may be given\n"
	      "      --fields=NAME,...    what the groups of the last REGEX are: done, total,\n"
	      "                           loss, sec, rate, epoch, saved, none\n"
	      "                           [done,total,loss,sec]\n"
	      "      --log=FILE           where the lines are; -: what CMD prints [-]\n"
	      "      --epochs=N           how many epochs all its work has\n"
	      "\n"
	      "Apps:\n"
	      "      --app=NAME           of that sbatch --app\n"
	      "      --job=NUMBER         of that job, or of its array\n"
	      "      --scheduler=NAME     single, halving[:KEY=VALUE,...], curve[:...] or\n"
	      "                           exec:PROGRAM [single]\n"
	      "      --interval=SECONDS   ask so often [10, or as the plugin wishes]\n"
	      "      --once               ask and bid once\n"
	      "      --dry-run            print what it would do\n"
	      "\n"
	      "Others:\n"
	      "  -h, --help               this text\n"
	      "  -v, --verbose            say on standard error what it does\n"
	      "  -V, --version            the version\n"
	      "\n"
	      "Exit status: CMD's; 127 if it is not found, 126 if it cannot be run, 125 for a\n"
	      "wrong option. Of an app: 0 when its jobs are over, else 1.\n",
	      stdout);
}
