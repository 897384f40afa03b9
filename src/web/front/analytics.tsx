import { figure } from '../ui/words.tsx';

/** Invented, and labeled as an example: the menu of a café in June, busiest on weekends. */
const scansADay = [
  18, 21, 19, 27, 44, 58, 49, 22, 24, 20, 31, 52, 66, 55, 25, 23, 28, 34, 57, 71, 60, 29, 27, 30, 38, 63, 82,
  68, 33, 36,
];
const total = scansADay.reduce((sum, scans) => sum + scans, 0);
const most = Math.max(...scansADay);
const abroad = [
  { name: 'Spain', count: 214 },
  { name: 'France', count: 127 },
  { name: 'United Kingdom', count: 58 },
];
const countries = [
  { name: 'Portugal', count: abroad.reduce((rest, { count }) => rest - count, total) },
  ...abroad,
];
const top = countries[0]?.count ?? 1;
const [step, bar, height] = [10, 7, 100];

/** A month of scans, as the page of a code shows them. */
export function Analytics() {
  return (
    <figure class="example">
      <figcaption>
        <span>
          <strong>{figure(total)}</strong> scans in June
        </span>
        <span class="badge">Example</span>
      </figcaption>
      <svg
        class="example-days"
        viewBox={`0 0 ${scansADay.length * step - (step - bar)} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Scans per day in June: ${figure(total)} in total, at most ${most} on a day.`}
      >
        {scansADay.map((scans, index) => {
          const tall = Math.round((scans / most) * height);
          return (
            <rect
              key={index}
              data-value={scans}
              x={index * step}
              y={height - tall}
              width={bar}
              height={tall}
              rx="1.5"
            />
          );
        })}
      </svg>
      <table class="example-places">
        <caption class="unseen">Scans by country</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Country</th>
            <th scope="col">Scans</th>
          </tr>
        </thead>
        <tbody>
          {countries.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">
                <svg class="example-share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Math.round((count / top) * 100)} height="1" />
                </svg>
                <span>{name}</span>
              </th>
              <td>{figure(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
