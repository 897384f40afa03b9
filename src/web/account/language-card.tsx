import type { ComponentChildren } from 'preact';
import { timeZones } from '../../runtime/time-zone.ts';
import type { Language } from '../../http/preferred-language.ts';
import { type FormState, Select } from '../ui/controls.tsx';
import { Form } from '../ui/layout.tsx';

const languageNames: [Language, string][] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es', 'Español'],
  ['pt', 'Português'],
  ['zh', '中文'],
];
const zoneNames = timeZones.map((name): [string, string] => [name, name.replaceAll('_', ' ')]);

interface LanguageCardProps {
  language: Language;
  timeZone: string;
  errors: FormState['errors'];
  problem: ComponentChildren;
}

export function LanguageCard({ language, timeZone, errors, problem }: LanguageCardProps) {
  const form = { values: { language, timeZone }, errors };
  return (
    <section class="card">
      <h2>Language and time zone of emails</h2>
      {problem}
      <Form action="/account/language">
        <Select form={form} name="language" label="Language" choices={languageNames} />
        <Select
          form={form}
          name="timeZone"
          label="Time zone"
          choices={zoneNames}
          hint="Days and weeks in emails begin at midnight there."
        />
        <button type="submit">Save language and time zone</button>
      </Form>
    </section>
  );
}
