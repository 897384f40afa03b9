import { figure } from '../ui/figure.ts';
import { Ranking } from '../codes/detail/ranking.tsx';
import { Timeline } from '../codes/detail/timeline.tsx';

/** Invented, and labeled as an example: the menu of a café in June, busiest on weekends. */
const scansADay = [
  18, 21, 19, 27, 44, 58, 49, 22, 24, 20, 31, 52, 66, 55, 25, 23, 28, 34, 57, 71, 60, 29, 27, 30, 38, 63, 82,
  68, 33, 36,
];
const timeline = scansADay.map((scans, index) => ({
  date: `2026-06-${String(index + 1).padStart(2, '0')}`,
  scans,
}));
const total = scansADay.reduce((sum, scans) => sum + scans, 0);
const abroad = [
  { name: 'Spain', count: 214 },
  { name: 'France', count: 127 },
  { name: 'United Kingdom', count: 58 },
  { name: 'Germany', count: 35 },
];
const countries = [
  { name: 'Portugal', count: abroad.reduce((rest, { count }) => rest - count, total) },
  ...abroad,
];
const cities = 17;

/** The charts of a code's page with example data. */
export function FrontExample() {
  return (
    <section aria-labelledby="front-example">
      <div class="heading front-heading">
        <h2 id="front-example">What you see</h2>
        <span class="badge">Example</span>
      </div>
      <div class="front-thirds">
        <div class="card">
          <dl class="totals">
            {[
              { name: 'Scans', value: total },
              { name: 'Countries', value: countries.length },
              { name: 'Cities', value: cities },
            ].map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{figure(value)}</dd>
              </div>
            ))}
          </dl>
          <Timeline timeline={timeline} isExample />
        </div>
        <Ranking caption="Countries" column="Country" rows={countries} total={total} />
      </div>
    </section>
  );
}
