/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the page again and replaces its parts, keeping the order of tables, the
 * filter, open details and scroll positions. Pauses while the page is hidden or
 * text is selected. */

const all = (main, selector) => [...main.querySelectorAll(selector)];
const places = 'details,.wide,.scroll', stops = 'button,summary,a,#filter';
const renew = (was, now) => {
	const focus = all(was, stops).indexOf(document.activeElement);
	const old = all(was, places), pinned_before = pinned;
	const sorts = all(was, 'table.sort').map(table => {
		const h = table.tHead.querySelector('[aria-sort]');
		return h && [table.closest('section').id, h.cellIndex, h.getAttribute('aria-sort')];
	});
	all(now, places).forEach((e, i) => {
		if (old[i]?.open)
			e.open = true;
	});
	for (const e of all(was, 'input:checked')) {
		const same = now.querySelector('#' + e.id);
		if (same)
			same.checked = true;
	}
	const field = was.querySelector('#filter');
	if (field)
		now.querySelector('#filter')?.replaceWith(field);
	was.replaceWith(now);
	for (const sort of sorts) {
		const h = sort && document.getElementById(sort[0])?.querySelector('thead')
			?.rows[0].cells[sort[1]];
		if (h) {
			h.setAttribute('aria-sort', sort[2] === 'ascending' ? 'descending' : 'ascending');
			sorted(h);
		}
	}
	all(now, places).forEach((e, i) => {
		if (old[i])
			e.scrollLeft = old[i].dataset.x || 0;
	});
	filter();
	if (pinned_before !== null)
		pin(pinned_before);
	if (focus >= 0)
		all(now, stops)[focus]?.focus({preventScroll: true});
};
addEventListener('scroll', e => {
	if (e.target.dataset)
		e.target.dataset.x = e.target.scrollLeft;
}, true);
const state = () => document.getElementById('state');
const load = async () => {
	if (document.hidden || getSelection().toString())
		return;
	try {
		const reply = await fetch(location.pathname,
			{cache: 'no-cache', signal: AbortSignal.timeout(20000)});
		const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
		const now = page.querySelector('main');
		if (!now?.querySelector('#state'))
			throw 0;
		if (now.querySelector('#state').dataset.number !== state().dataset.number ||
				state().dataset.lost)
			renew(document.querySelector('main'), now);
	} catch {
		if (state().dataset.lost)
			return;
		state().dataset.lost = 1;
		state().className = 'state bad';
		state().textContent = 'The server of this page does not answer since ' +
			new Date().toLocaleTimeString() + '. ' + state().textContent;
	}
};
setInterval(load, 1000 * state().dataset.every);
addEventListener('visibilitychange', load, true);
