/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Point at a policy to see it alone, click to take it away. */

for (const key of document.querySelectorAll('.key')) {
	const all = () => document.querySelectorAll('main [data-s]:not(.key)');
	const is_mine = e => e.dataset.s === key.dataset.s || e.closest('.key');
	key.addEventListener('click', () => {
		const on = key.getAttribute('aria-pressed') === 'false';
		key.setAttribute('aria-pressed', on);
		for (const e of all())
			if (e.dataset.s === key.dataset.s && !e.closest('.key'))
				e.classList.toggle('off', !on);
	});
	key.addEventListener('mouseenter', () => {
		for (const e of all())
			e.classList.toggle('dim', !is_mine(e));
	});
	key.addEventListener('mouseleave', () => {
		for (const e of all())
			e.classList.remove('dim');
	});
}
