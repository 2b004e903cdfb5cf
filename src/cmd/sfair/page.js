/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A click on a heading sorts: texts first in ascending, numbers first in
 * descending order; unknown values stay at the end. The filter shows the rows
 * whose texts have all of its words. CSV saves the rows that are shown. Pointing
 * at a tenant, or a click on it, shows that tenant alone. All this also works for
 * elements that are added to the page later. */

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
const is_text = cell => cell.matches('th,.text');
const filter = () => {
	const words = document.getElementById('filter')?.value.toLowerCase().split(/\s+/) ?? [];
	for (const row of document.querySelectorAll('table.sort tbody tr')) {
		const text = [...row.cells].filter(is_text).map(c => c.textContent)
			.join('\n').toLowerCase();
		row.hidden = !words.every(word => text.includes(word));
	}
};
/* A spreadsheet takes a text that begins so for a formula. */
const csv_value = cell => {
	const text = (cell.dataset.v ?? cell.textContent).trim();
	const safe = is_text(cell) && /^[=+@-]./.test(text) ? "'" + text : text;
	return safe === '-' ? '' : /[",\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
};
const csv = section => {
	const rows = [...section.querySelector('table').rows].filter(row => !row.hidden);
	const text = rows.map(row => [...row.cells].map(csv_value).join(',') + '\r\n').join('');
	const link = document.createElement('a');
	link.href = URL.createObjectURL(new Blob([text], {type: 'text/csv'}));
	link.download = section.id + '.csv';
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
	if (e.target.matches('.csv'))
		csv(e.target.closest('section'));
	if (key)
		pin(pinned === key.dataset.s ? null : key.dataset.s);
});
const point = e => {
	const key = e.target.closest?.('.key');
	if (key)
		show(e.type === 'mouseover' ? key.dataset.s : pinned);
};
addEventListener('input', e => e.target.id === 'filter' && filter());
addEventListener('mouseover', point);
addEventListener('mouseout', point);
