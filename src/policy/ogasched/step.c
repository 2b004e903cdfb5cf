/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One slot: y(t + 1) = projection of y(t) + rate * gradient. Only nodes with a
 * job in this slot change: elsewhere the gradient is 0, and y is its own
 * projection. */
#include <math.h>
#include <string.h>

#include "src/common/number.h"
#include "src/policy/ogasched/learner.h"
#include "src/policy/ogasched/project.h"
#include "src/policy/ogasched/value.h"

#define RATE_MAX 1e18

void ogas_mark_active(struct astra_ogas *o, const uint32_t *x)
{
	for (size_t row = 0; row < o->row_count; row++) {
		uint32_t jobs = x ? x[o->rows.port[row]] : UINT32_MAX;

		o->rows.active[row] = o->rows.copy[row] < jobs ? 1 : 0;
	}
}

void ogas_sum_held(struct astra_ogas *o)
{
	for (size_t k = 0; k < o->types; k++)
		memset(ogas_held(o, k), 0, o->row_count * sizeof(double));
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		for (size_t k = 0; k < o->types; k++) {
			const double *y = ogas_y(n, k);
			double *held = ogas_held(o, k);

			for (size_t i = 0; i < n->count; i++)
				held[n->rows[i]] += y[i];
		}
	}
}

static bool receives(const struct astra_ogas *o, size_t row)
{
	double sum = 0;

	for (size_t k = 0; k < o->types; k++)
		sum += ogas_held(o, k)[row];
	return sum > ASTRA_TIE;
}

static uint32_t *gang_size(struct astra_ogas *o, size_t row)
{
	const struct ogas_port *p = &o->ports[o->rows.port[row]];

	return &o->gang_size[(size_t)p->gang * o->gang_copies +
			     o->rows.copy[row]];
}

void ogas_mark_served(struct astra_ogas *o)
{
	const struct ogas_rows *rows = &o->rows;

	memcpy(rows->served, rows->active,
	       o->row_count * sizeof(*rows->served));
	if (!o->gangs)
		return;
	memset(o->gang_size, 0, o->gang_room * sizeof(*o->gang_size));
	for (size_t row = 0; row < o->row_count; row++)
		if (rows->active[row] > 0 && receives(o, row))
			++*gang_size(o, row);
	for (size_t row = 0; row < o->row_count; row++) {
		const struct ogas_port *p = &o->ports[rows->port[row]];

		if (p->gang && *gang_size(o, row) < p->need)
			rows->served[row] = 0;
	}
}

/* Add up what each row's allocation is worth, the overhead apart. */
static void sum_values(struct astra_ogas *o)
{
	const double *served = o->rows.served;
	double *value = o->rows.value;

	memset(value, 0, o->row_count * sizeof(*value));
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		for (size_t k = 0; k < o->types; k++) {
			const double *y = ogas_y(n, k);

			for (size_t i = 0; i < n->count; i++)
				if (served[n->rows[i]] > 0)
					value[n->rows[i]] +=
						ogas_value(n->utility[k],
							   n->alpha[k], y[i]);
		}
	}
}

/* max_k beta_k sum_r y_lrk, and k*, its lowest index. */
static double overhead(struct astra_ogas *o, size_t row, uint32_t *worst)
{
	double most = 0;

	*worst = 0;
	for (size_t k = 0; k < o->types; k++)
		most = fmax(most, o->beta[k] * ogas_held(o, k)[row]);
	for (uint32_t k = 0; k < o->types; k++)
		if (astra_tied(o->beta[k] * ogas_held(o, k)[row], most)) {
			*worst = k;
			break;
		}
	return most;
}

/* q of the present y; `active` and the sums are up to date. */
static double sum_reward(struct astra_ogas *o)
{
	double reward = 0;
	uint32_t worst;

	ogas_mark_served(o);
	sum_values(o);
	for (size_t row = 0; row < o->row_count; row++)
		if (o->rows.served[row] > 0)
			reward += o->rows.value[row] - overhead(o, row, &worst);
	return reward;
}

double astra_ogas_reward(struct astra_ogas *o, const uint32_t *x)
{
	ogas_mark_active(o, x);
	ogas_sum_held(o);
	return sum_reward(o);
}

/* Of a node's rows: the learning rates. Returns whether any is not 0. */
static bool gather_rates(struct astra_ogas *o, const struct ogas_node *n)
{
	double any = 0;

	for (size_t i = 0; i < n->count; i++) {
		o->rate[i] = o->rows.rate[n->rows[i]];
		any += o->rate[i];
	}
	return any > 0;
}

/* Eq. 30, of one type: f'(y) - beta where it is the type k*. Into z. */
static void slopes(struct astra_ogas *o, const struct ogas_node *n, uint32_t k)
{
	const double *y = ogas_y(n, k), alpha = n->alpha[k];

	switch (n->utility[k]) {
	case ASTRA_OGAS_LINEAR:
		for (size_t i = 0; i < n->count; i++)
			o->z[i] = ogas_slope(ASTRA_OGAS_LINEAR, alpha, y[i]);
		break;
	case ASTRA_OGAS_LOG:
		for (size_t i = 0; i < n->count; i++)
			o->z[i] = ogas_slope(ASTRA_OGAS_LOG, alpha, y[i]);
		break;
	case ASTRA_OGAS_RECIPROCAL:
		for (size_t i = 0; i < n->count; i++)
			o->z[i] =
				ogas_slope(ASTRA_OGAS_RECIPROCAL, alpha, y[i]);
		break;
	case ASTRA_OGAS_POLY:
		for (size_t i = 0; i < n->count; i++)
			o->z[i] = ogas_slope(ASTRA_OGAS_POLY, alpha, y[i]);
		break;
	}
	for (size_t i = 0; i < n->count; i++)
		if (o->rows.worst[n->rows[i]] == k)
			o->z[i] -= o->beta[k];
}

static void gather_caps(struct astra_ogas *o, const struct ogas_node *n,
			size_t k)
{
	const double *request = ogas_request(o, k);

	for (size_t i = 0; i < n->count; i++)
		o->cap[i] = request[n->rows[i]];
}

void ogas_fit_node(struct astra_ogas *o, struct ogas_node *n)
{
	for (size_t k = 0; k < o->types; k++) {
		double *y = ogas_y(n, k), sum = 0;

		for (size_t i = 0; i < n->count; i++)
			sum += y[i];
		/* Full, as the projection leaves it, is no excess. */
		if (sum <= n->capacity[k] + 1e-12 * n->capacity[k])
			continue;
		gather_caps(o, n, k);
		memcpy(o->z, y, n->count * sizeof(*y));
		astra_ogas_project(o->z, o->cap, n->capacity[k], n->count, y,
				   o->scratch);
	}
}

static void update_node(struct astra_ogas *o, struct ogas_node *n)
{
	for (uint32_t k = 0; k < o->types; k++) {
		double *y = ogas_y(n, k);

		slopes(o, n, k);
		gather_caps(o, n, k);
		for (size_t i = 0; i < n->count; i++)
			o->z[i] = y[i] + o->rate[i] * o->z[i];
		astra_ogas_project(o->z, o->cap, n->capacity[k], n->count, y,
				   o->scratch);
	}
}

static void set_rates(struct astra_ogas *o, double rate)
{
	for (size_t row = 0; row < o->row_count; row++)
		o->rows.rate[row] = o->rows.active[row] > 0 ? rate : 0;
}

/* |gradient|^2; the rows that take part have a rate. */
static double gradient_square(struct astra_ogas *o)
{
	double square = 0;

	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		if (!gather_rates(o, n))
			continue;
		for (uint32_t k = 0; k < o->types; k++) {
			slopes(o, n, k);
			for (size_t i = 0; i < n->count; i++)
				if (o->rate[i] > 0)
					square += o->z[i] * o->z[i];
		}
	}
	return square;
}

double astra_ogas_diameter(const struct astra_ogas *o)
{
	double square = 0;

	for (size_t k = 0; k < o->types; k++) {
		double request = 0, capacity = 0;

		for (size_t row = 0; row < o->row_count; row++)
			request = fmax(request, ogas_request(o, k)[row]);
		for (size_t r = 0; r < o->node_count; r++)
			capacity += o->nodes[r].capacity[k];
		square += request * capacity;
	}
	return sqrt(2 * square);
}

double astra_ogas_slope(const struct astra_ogas *o)
{
	double square = 0, beta = 0;

	for (size_t k = 0; k < o->types; k++)
		beta = fmax(beta, o->beta[k]);
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];
		double steepest = 0;

		for (size_t k = 0; k < o->types; k++)
			steepest = fmax(steepest, ogas_slope(n->utility[k],
							     n->alpha[k], 0));
		square +=
			(double)n->count *
			(beta * beta + (double)o->types * steepest * steepest);
	}
	return sqrt(square);
}

/* The rate of the slot that is being learned from; 0 if there is no slope, and
 * finite if there is hardly any. */
static double learning_rate(struct astra_ogas *o)
{
	const struct astra_ogas_options *opt = &o->options;
	double slots = (double)(opt->horizon ? opt->horizon : o->slot + 1);
	double slope;

	if (opt->rate == ASTRA_OGAS_DECAY)
		return opt->eta0 * pow(opt->decay, (double)o->slot);
	if (opt->rate == ASTRA_OGAS_CONST) {
		slope = astra_ogas_slope(o);
	} else {
		set_rates(o, 1);
		slope = sqrt(gradient_square(o));
	}
	if (!(slope > 0))
		return 0;
	return fmin(astra_ogas_diameter(o) / (slope * sqrt(slots)), RATE_MAX);
}

static void learn(struct astra_ogas *o)
{
	double rate;

	for (size_t row = 0; row < o->row_count; row++)
		overhead(o, row, &o->rows.worst[row]);
	rate = learning_rate(o);
	set_rates(o, rate);
	for (size_t r = 0; r < o->node_count; r++)
		if (gather_rates(o, &o->nodes[r]))
			update_node(o, &o->nodes[r]);
	o->slot++;
}

double astra_ogas_step(struct astra_ogas *o, const uint32_t *x)
{
	double reward;

	ogas_mark_active(o, x);
	ogas_sum_held(o);
	if (!o->options.reactive) {
		reward = sum_reward(o);
		learn(o);
		return reward;
	}
	learn(o);
	ogas_sum_held(o);
	return sum_reward(o);
}
