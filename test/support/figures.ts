/** What `/metrics` told, read as Prometheus would. */
export interface Figures {
  text: string;
  /** Every metric, as declared, without the suffixes of a histogram's series. */
  names: string[];
  /** Every series, suffixes included. */
  series: Set<string>;
  /** The sum of the series that have these labels; `undefined` where there is none. */
  get(name: string, labels?: Record<string, string>): number | undefined;
}

export async function scrape(url: string, token?: string): Promise<Figures> {
  const answer = await fetch(url, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
  return readFigures(await answer.text());
}

export function readFigures(text: string): Figures {
  const rows = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (!name) throw new Error(`not a line of Prometheus's: ${line}`);
      return { name, labels, value: Number(value) };
    });
  return {
    text,
    names: [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name),
    series: new Set(rows.map(({ name }) => name)),
    get(name, labels = {}) {
      const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
      const found = rows.filter(
        (row) => row.name === name && wanted.every((one) => row.labels.includes(one)),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}
