/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A click on a heading sorts: texts first in ascending, numbers first in
 * descending order; unknown values stay at the end. Pointing at a tenant, or a
 * click on it, shows that tenant alone. All this also works for elements that
 * are added to the page later. */

const sorted = h => {
	const table = h.closest('table'), column = h.cellIndex;
	const text = h.classList.contains('text') || !column;
	const was = h.getAttribute('aria-sort');
	const up = was ? was !== 'ascending' : text;
	for (const other of table.tHead.querySelectorAll('th'))
		other.removeAttribute('aria-sort');
	h.setAttribute('aria-sort', up ? 'ascending' : 'descending');
	const value = row => {
		const cell = row.cells[column];
		const v = cell.dataset.v ?? cell.textContent.trim();
		return v === '' || v === '-' ? null : text ? v
			: v === '∞' ? Infinity : parseFloat(v);
	};
	const rows = [...table.tBodies[0].rows].map(row => [value(row), row]);
	rows.sort(([a], [b]) => a === null || b === null
		? (a === null) - (b === null)
		: (text ? a.localeCompare(b, 'en', {numeric: true})
			: a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
	table.tBodies[0].append(...rows.map(row => row[1]));
};
let pinned = null;
const show = series => {
	for (const mark of document.querySelectorAll('figure [data-s]'))
		mark.classList.toggle('dim', series !== null && mark.dataset.s !== series);
};
const pin = series => {
	pinned = series;
	for (const key of document.querySelectorAll('.key'))
		key.setAttribute('aria-pressed', key.dataset.s === pinned);
	show(pinned);
};
addEventListener('click', e => {
	const h = e.target.closest('table.sort thead th'), key = e.target.closest('.key');
	if (h)
		sorted(h);
	if (key)
		pin(pinned === key.dataset.s ? null : key.dataset.s);
});
const point = e => {
	const key = e.target.closest?.('.key');
	if (key)
		show(e.type === 'mouseover' ? key.dataset.s : pinned);
};
addEventListener('mouseover', point);
addEventListener('mouseout', point);
