/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots of OGASched: sums, gradient, projection, reward. Peer in the same run:
 * a dense implementation that sorts all breakpoints of each projection and
 * walks through them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "testsuite/bench/bench.h"
#include "testsuite/bench/ogas_instance.h"

enum { REPEATS = 5 };

/* The first slots, which the peer runs, too. */
static size_t peer_slots(const struct ogas_instance *w)
{
	return w->slots / 10;
}

static double learn(const struct ogas_instance *w, double *reward)
{
	const struct astra_ogas_options options = {.eta0 = 25, .decay = 0.9999};
	struct astra_ogas *o = ogas_instance_build(w, &options);
	double since = bench_now_ms();

	*reward = 0;
	for (size_t t = 0; t < w->slots; t++) {
		double q = astra_ogas_step(o, w->x + t * w->ports);

		if (t < peer_slots(w))
			*reward += q;
	}
	since = bench_now_ms() - since;
	astra_ogas_destroy(o);
	return since / (double)w->slots;
}

static double value(enum astra_ogas_utility kind, double alpha, double y)
{
	switch (kind) {
	case ASTRA_OGAS_LINEAR:
		return alpha * y;
	case ASTRA_OGAS_LOG:
		return alpha * log(1 + y);
	case ASTRA_OGAS_RECIPROCAL:
		return 1 / alpha - 1 / (y + alpha);
	default:
		return alpha * sqrt(y + 1) - alpha;
	}
}

static double slope(enum astra_ogas_utility kind, double alpha, double y)
{
	switch (kind) {
	case ASTRA_OGAS_LINEAR:
		return alpha;
	case ASTRA_OGAS_LOG:
		return alpha / (1 + y);
	case ASTRA_OGAS_RECIPROCAL:
		return 1 / ((y + alpha) * (y + alpha));
	default:
		return alpha / 2 / sqrt(y + 1);
	}
}

struct corner {
	double at;
	int turn; /* +1: begins to fall; -1: is 0 from here on */
};

static int compare_corners(const void *a, const void *b)
{
	const struct corner *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void project(const double *z, const double *a, double c, size_t n,
		    double *y, struct corner *corners)
{
	double sum = 0, rho = 0, falling = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		sum += fmin(fmax(z[i], 0), a[i]);
		corners[count++] = (struct corner){z[i] - a[i], 1};
		corners[count++] = (struct corner){z[i], -1};
	}
	if (sum > c) {
		qsort(corners, count, sizeof(*corners), compare_corners);
		for (size_t i = 0; i < count; i++) {
			double at = fmax(corners[i].at, 0);

			if (sum - falling * (at - rho) <= c)
				break;
			sum -= falling * (at - rho);
			rho = at;
			falling += corners[i].turn;
		}
		rho += falling > 0 ? (sum - c) / falling : 0;
	}
	for (size_t i = 0; i < n; i++)
		y[i] = fmin(fmax(z[i] - rho, 0), a[i]);
}

struct peer {
	const struct ogas_instance *w;
	double *y, *z; /* [node][type][port] */
	double *held;  /* [port][type] */
	double *cap;   /* [type][port] */
	struct corner *corners;
};

static double peer_reward(struct peer *p, const uint32_t *x)
{
	const struct ogas_instance *w = p->w;
	double q = 0;

	memset(p->held, 0, w->ports * w->types * sizeof(*p->held));
	for (size_t i = 0; i < w->nodes * w->types; i++)
		for (size_t l = 0; l < w->ports; l++) {
			double y = p->y[i * w->ports + l];

			p->held[l * w->types + i % w->types] += y;
			q += x[l] ? value(w->kind[i], w->alpha[i], y) : 0;
		}
	for (size_t l = 0; l < w->ports; l++) {
		double most = 0;

		for (size_t k = 0; x[l] && k < w->types; k++)
			most = fmax(most,
				    w->beta[k] * p->held[l * w->types + k]);
		q -= most;
	}
	return q;
}

static void peer_learn(struct peer *p, const uint32_t *x, double rate)
{
	const struct ogas_instance *w = p->w;

	for (size_t l = 0; l < w->ports; l++) {
		size_t worst = 0;

		for (size_t k = 1; k < w->types; k++)
			if (w->beta[k] * p->held[l * w->types + k] >
			    w->beta[worst] * p->held[l * w->types + worst])
				worst = k;
		for (size_t i = 0; i < w->nodes * w->types; i++) {
			size_t at = i * w->ports + l;
			double g = slope(w->kind[i], w->alpha[i], p->y[at]) -
				   (i % w->types == worst ? w->beta[worst] : 0);

			p->z[at] = p->y[at] + (x[l] ? rate * g : 0);
		}
	}
	for (size_t i = 0; i < w->nodes * w->types; i++)
		project(p->z + i * w->ports, p->cap + i % w->types * w->ports,
			w->c[i], w->ports, p->y + i * w->ports, p->corners);
}

static double peer(const struct ogas_instance *w, double *reward)
{
	size_t cells = w->nodes * w->types * w->ports;
	struct peer p = {
		.w = w,
		.y = ogas_take(cells, sizeof(double)),
		.z = ogas_take(cells, sizeof(double)),
		.held = ogas_take(w->ports * w->types, sizeof(double)),
		.cap = ogas_take(w->ports * w->types, sizeof(double)),
		.corners = ogas_take(2 * w->ports, sizeof(struct corner)),
	};
	double since = bench_now_ms();

	for (size_t l = 0; l < w->ports; l++)
		for (size_t k = 0; k < w->types; k++)
			p.cap[k * w->ports + l] = w->a[l * w->types + k];
	*reward = 0;
	for (size_t t = 0; t < peer_slots(w); t++) {
		const uint32_t *x = w->x + t * w->ports;

		*reward += peer_reward(&p, x);
		peer_learn(&p, x, 25 * pow(0.9999, (double)t));
	}
	since = bench_now_ms() - since;
	free(p.y);
	free(p.z);
	free(p.held);
	free(p.cap);
	free(p.corners);
	return since / (double)peer_slots(w);
}

static void report(struct ogas_instance instance, const char *utility)
{
	struct ogas_instance *w = &instance;
	double ms[REPEATS], peer_ms[REPEATS], q, peer_q, own, other;

	w->utility = utility;
	ogas_instance_fill(w, 1);
	for (int k = 0; k < REPEATS; k++) {
		ms[k] = learn(w, &q);
		peer_ms[k] = peer(w, &peer_q);
	}
	own = bench_median(ms, REPEATS);
	other = bench_median(peer_ms, REPEATS);
	printf("%5zu %5zu %5zu %-7s %8.3f %10.2f s %13.3f %5.1f %14.1e\n",
	       w->nodes, w->ports, w->types, utility ? utility : "mixed", own,
	       own * 8000 / 1e3, other, other / own,
	       fabs(q - peer_q) / fabs(peer_q));
	ogas_instance_clear(w);
}

int main(void)
{
	const struct ogas_instance small = {
		.ports = 10,
		.nodes = 128,
		.types = 6,
		.slots = 8000,
		.arrival = 0.7,
		.demand = 1,
		.density = 1,
		.beta_least = 0.3,
	};
	const struct ogas_instance large = {
		.ports = 100,
		.nodes = 1024,
		.types = 6,
		.slots = 40,
		.arrival = 0.7,
		.demand = 1,
		.density = 1,
		.beta_least = 0.3,
	};

	printf("ogasched, medians of %d; peer: dense, all breakpoints sorted\n\n"
	       "nodes ports types utility  ms/slot  8,000 slots  peer ms/slot"
	       "    x=  reward off by\n",
	       REPEATS);
	report(small, NULL);
	report(small, "log");
	report(large, NULL);
	report(large, "log");
	return 0;
}
