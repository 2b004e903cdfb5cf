/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/period.h"

/* mktime() normalizes a day that is beyond the end of its month. */
void astra_period_tell(enum astra_period kind, time_t now,
		       struct astra_snapshot *snapshot)
{
	struct tm day, end;

	if (!localtime_r(&now, &day))
		return;
	day = (struct tm){
		.tm_year = day.tm_year,
		.tm_mon = day.tm_mon,
		.tm_mday = kind == ASTRA_PERIOD_MONTH ? 1
			   : kind == ASTRA_PERIOD_WEEK
				   ? day.tm_mday - (day.tm_wday + 6) % 7
				   : day.tm_mday,
		.tm_isdst = -1,
	};
	end = day;
	end.tm_mday += kind == ASTRA_PERIOD_WEEK  ? 7
		       : kind == ASTRA_PERIOD_DAY ? 1
						  : 0;
	end.tm_mon += kind == ASTRA_PERIOD_MONTH;
	snapshot->period_begin_sec = (double)mktime(&day);
	snapshot->period_end_sec = (double)mktime(&end);
}
