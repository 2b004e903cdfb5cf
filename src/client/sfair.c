/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/sfair.h"

#include <errno.h>
#include <math.h>

#include "src/client/courier.h"
#include "src/client/notice.h"
#include "src/client/store.h"

static int sfair_fail(int error)
{
	if (error)
		errno = error;
	return error ? -1 : 0;
}

double sfair_lease_remaining(void)
{
	if (!sfair_courier_place()->leased)
		return (double)INFINITY;
	return sfair_courier_remaining();
}

double sfair_grace_remaining(void)
{
	double age = sfair_notice_age();
	double left = sfair_courier_place()->grace_sec - age;

	if (age < 0)
		return (double)INFINITY;
	return left > 0 ? left : 0;
}

int sfair_on_lease_end(void (*callback)(void *arg), void *arg)
{
	const struct sfair_place *place = sfair_courier_place();

	if (!place->leased || !place->signal)
		return 0;
	return sfair_fail(sfair_notice_catch(place->signal, callback, arg));
}

int sfair_lease_ending(void)
{
	return sfair_notice_age() >= 0;
}

uint32_t sfair_gpus(uint32_t *before)
{
	const struct sfair_place *place = sfair_courier_place();

	if (before)
		*before = place->gpus_before;
	return place->gpus;
}

int sfair_on_resize(void (*callback)(uint32_t from, uint32_t to, void *arg),
		    void *arg)
{
	const struct sfair_place *place = sfair_courier_place();

	if (!callback || !place->gpus)
		return 0;
	if (place->gpus_before && place->gpus_before != place->gpus)
		callback(place->gpus_before, place->gpus, arg);
	if (!place->leased || !place->signal)
		return 0;
	return sfair_fail(
		sfair_notice_resize(place->signal, place->gpus, callback, arg));
}

int sfair_progress(uint64_t done, uint64_t total, double iter_sec, double loss)
{
	const struct sfair_place *place = sfair_courier_place();
	const struct astra_said said = {
		.done = done,
		.total = total,
		.iter_sec = iter_sec,
		.loss = isfinite(loss) ? loss : (double)NAN,
	};

	if (done > ASTRA_COUNT_MAX || total > ASTRA_COUNT_MAX ||
	    (total && done > total) || !(iter_sec >= 0) ||
	    iter_sec > ASTRA_ITER_SEC_MAX)
		return sfair_fail(EINVAL);
	if (place->leased && place->speaks)
		sfair_courier_progress(&said);
	return 0;
}

int sfair_checkpointed(uint64_t step)
{
	const struct sfair_place *place = sfair_courier_place();

	if (step > ASTRA_COUNT_MAX)
		return sfair_fail(EINVAL);
	if (!place->leased || !place->speaks)
		return 0;
	return sfair_fail(sfair_courier_checkpointed(step));
}

size_t sfair_error(char *text, size_t size)
{
	size_t length = sfair_store_error(text, size);

	return length ? length : sfair_courier_error(text, size);
}
