import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from 'preact/jsx-runtime';
import { figure, shortFigure } from './figure.js';
const shortFrom = 1_000_000;
/** A number where space is short: from a million on "123.5M", with the full number as tooltip and for screen readers. */
export function ShortFigure({ value }) {
  if (value < shortFrom) return _jsx(_Fragment, { children: figure(value) });
  return _jsxs('span', {
    title: figure(value),
    children: [
      _jsx('span', { 'aria-hidden': 'true', children: shortFigure(value) }),
      _jsx('span', { class: 'unseen', children: figure(value) }),
    ],
  });
}
//# sourceMappingURL=short-figure.js.map
