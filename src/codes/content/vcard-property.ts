/** One line of a vCard: `group.NAME;PARAMETER=value:value`. */
export interface VcardProperty {
  group: string;
  name: string;
  parameters: VcardParameter[];
  /** Not unescaped yet. */
  raw: string;
}

export interface VcardParameter {
  name: string;
  values: string[];
}

export function vcardProperty(name: string, raw: string): VcardProperty {
  return { group: '', name, parameters: [], raw };
}

export function parameterValues(property: VcardProperty, name: string): string[] {
  return property.parameters.filter((one) => one.name === name).flatMap((one) => one.values);
}

/** Versions and generators escape different characters: all of them are accepted. */
export function unescapeValue(raw: string): string {
  return raw.replace(/\\([\\;,:nN"])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}

export function escapeValue(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');
}
