import { expect } from 'chai';
import { allRoutes } from '../hostile/routes.ts';

describe('The route table', () => {
  it('has no route that another one before it hides', () => {
    const hidden = allRoutes.flatMap(({ method, path }, index) => {
      const before = allRoutes
        .slice(0, index)
        .find((earlier) => earlier.method === method && matches(earlier.path, path));
      return before ? [`${method} ${path} is hidden by ${before.path}: list it earlier`] : [];
    });
    expect(hidden).to.deep.equal([]);
  });
});

/** Whether a route also gets the requests to another path: each of its segments is the same, or a parameter. */
function matches(route: string, path: string): boolean {
  const segments = path.split('/');
  const own = route.split('/');
  return (
    own.length === segments.length &&
    own.every((segment, index) => segment === segments[index] || /^:\w+$/.test(segment))
  );
}
