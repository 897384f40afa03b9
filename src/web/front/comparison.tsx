import { useVisitor } from '../ui/visitor.ts';

/** The mark in front of an answer: yes, no or partly. */
const marks = { yes: 'M20 6 9 17l-5-5', no: 'M18 6 6 18M6 6l12 12', partly: 'M5 12h14' };
type Mark = keyof typeof marks;
type Answer = [mark: Mark, text: string];
type Row = [question: string, ours: Answer, subscription: Answer, generator: Answer];

/** Facts about kinds of products, also what this one lacks. */
const rows: Row[] = [
  [
    'Change it after printing',
    ['yes', 'Yes, as often as you want'],
    ['yes', 'Yes'],
    ['no', 'No: the content is in the code'],
  ],
  [
    'When a plan lapses',
    ['yes', 'Codes keep working: no scan depends on a plan'],
    ['partly', 'Codes often stop, or show a notice of the provider'],
    ['yes', 'Codes keep working'],
  ],
  [
    'Scans',
    ['yes', 'Each counted once; a year of charts in every plan'],
    ['partly', 'Counted; history often depends on the plan'],
    ['no', 'Not counted'],
  ],
  [
    'Privacy of people who scan',
    ['yes', 'Time, city, device and browser. No IP address, no cookie'],
    ['partly', 'Differs: see the privacy policy of the provider'],
    ['yes', 'Nothing is stored'],
  ],
  [
    'Take your data with you',
    ['yes', 'CSV, API, and one archive of everything'],
    ['partly', 'Differs'],
    ['no', 'There is none'],
  ],
  ['Teams with roles', ['no', 'Not yet: one account, one owner'], ['yes', 'Usually'], ['no', 'No']],
];

/** What is so for whoever runs the software, and not for a service of somebody else. */
const softwareRows: Row[] = [
  [
    'Your own domain',
    ['yes', 'Yes: an installation has its own'],
    ['partly', 'Usually in higher plans'],
    ['yes', 'Not needed'],
  ],
  [
    'Runs where you want',
    ['yes', 'On any server: the software is open source'],
    ['no', 'On servers of the provider'],
    ['partly', 'On a website, once'],
  ],
  [
    'Someone to call',
    ['partly', 'The operator of your installation'],
    ['yes', 'Support as in your contract'],
    ['no', 'Nobody'],
  ],
];

export function Comparison() {
  const { brand } = useVisitor();
  const shown = brand.isCustom ? rows : [...rows, ...softwareRows];
  return (
    <section aria-labelledby="front-comparison">
      <h2 id="front-comparison" class="front-heading">
        How it compares
      </h2>
      <svg width="0" height="0" aria-hidden="true" class="mini-shape">
        {Object.entries(marks).map(([mark, path]) => (
          <symbol key={mark} id={`mark-${mark}`} viewBox="0 0 24 24">
            <path d={path} />
          </symbol>
        ))}
      </svg>
      {/* The roles remain where narrow screens show each row as a grid. */}
      <table class="comparison" role="table" aria-labelledby="front-comparison">
        <thead role="rowgroup">
          <tr role="row">
            <td role="cell" />
            <th role="columnheader" scope="col">
              {brand.name}
            </th>
            <th role="columnheader" scope="col">
              Subscription <span>services</span>
            </th>
            <th role="columnheader" scope="col">
              <span>Free static</span> generators
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map(([question, ...answers]) => (
            <tr key={question} role="row">
              <th role="rowheader" scope="row">
                {question}
              </th>
              {answers.map(([mark, text], index) => (
                <td key={index} role="cell">
                  <svg class={`icon ${mark}`} aria-hidden="true">
                    <use href={`#mark-${mark}`} />
                  </svg>
                  <span>{text}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
