import { idOf } from './controls.tsx';

/** How far a day is from today, in UTC: `0 days`, `1 month`, `start of month`. Empty for no day. */
type DayOffset =
  | ''
  | `${number} ${'days' | 'months' | 'years'}`
  | 'start of month'
  | 'start of last month'
  | 'end of last month';

interface DayPresetsProps {
  /** Says what the buttons choose, for screen readers. */
  label: string;
  /** The fields that are filled in. */
  names: string[];
  /** A text, and a day for each field. */
  presets: [text: string, ...days: DayOffset[]][];
}

/** Buttons that fill in days, by day-presets.browser.js. Without scripts, the style sheet hides them. */
export function DayPresets({ label, names, presets }: DayPresetsProps) {
  return (
    <div class="presets" role="group" aria-label={label} data-fields={names.map(idOf).join(' ')}>
      {presets.map(([text, ...days]) => (
        <button key={text} type="button" class="quiet small" data-days={days.join('|')}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** For a field that says when something ends. */
export const endPresets: DayPresetsProps['presets'] = [
  ['1 week', '7 days'],
  ['1 month', '1 months'],
  ['1 year', '1 years'],
  ['None', ''],
];

/** For a period that has ended, or ends today. */
export const pastPresets: DayPresetsProps['presets'] = [
  ['Today', '0 days', '0 days'],
  ['7 days', '-6 days', '0 days'],
  ['30 days', '-29 days', '0 days'],
  ['This month', 'start of month', '0 days'],
  ['Last month', 'start of last month', 'end of last month'],
];
