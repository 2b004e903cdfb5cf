// SPDX-License-Identifier: GPL-2.0-or-later
// Put at the end of a page by page.sh: looks at what the browser made of it and
// writes what it found into the element #probe, as JSON.
(() => {
	const found = { charts: 0, marks: {}, outside: [], bad: [], keys: 0 };
	const slack = 1; // pixels of a line's width and of rounding
	const kinds = ['curve', 'box', 'dot', 'bar', 'area', 'point'];

	for (const svg of document.querySelectorAll('figure svg')) {
		const view = svg.viewBox.baseVal;

		found.charts++;
		for (const e of svg.querySelectorAll('path,rect,circle,text,line')) {
			const box = e.getBBox();
			const name = e.textContent + ' ' + e.outerHTML.slice(0, 80);

			if (box.x < -slack || box.y < -slack ||
			    box.x + box.width > view.width + slack ||
			    box.y + box.height > view.height + slack)
				found.outside.push(name);
			for (const a of ['d', 'x', 'y', 'cx', 'cy', 'width', 'height',
				'x1', 'x2', 'y1', 'y2'])
				if (/nan|inf|undefined/i.test(e.getAttribute(a) || ''))
					found.bad.push(name);
			for (const kind of kinds)
				if (e.classList.contains(kind))
					found.marks[kind] = (found.marks[kind] || 0) + 1;
		}
		for (const g of svg.querySelectorAll('g.box'))
			found.marks.box = (found.marks.box || 0) + 1;
	}
	const hidden = () => document.querySelectorAll('figure .off').length;
	const key = document.querySelector('button.key');

	found.keys = document.querySelectorAll('button.key').length;
	if (key) {
		found.hidden = [hidden()];
		key.click();
		found.hidden.push(hidden());
		key.click();
		found.hidden.push(hidden());
	}
	found.axes = [...document.querySelectorAll('text.title.mid')]
		.map(e => e.textContent);
	found.rules = document.querySelectorAll('line.rule').length;
	found.scripts = document.scripts.length;
	found.images = document.images.length;
	found.title = document.title;
	found.pwned = 'pwned' in window;
	found.wide = document.documentElement.scrollWidth > window.innerWidth;
	found.names = [...document.querySelectorAll('.tenant')]
		.map(e => e.textContent.trim());
	const out = document.createElement('pre');

	out.id = 'probe';
	out.textContent = JSON.stringify(found);
	document.body.append(out);
})();
