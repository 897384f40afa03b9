import { withTemplates } from './words.tsx';

type Say = (label: string, found: string[]) => string;

/**
 * Messages of rules, which the API words for programs, as sentences that tell people what to do. The first pattern that matches
 * wins; a message without one continues the label if it is in lower case, or is a sentence of its own.
 */
const sentences: [rule: RegExp, sentence: string | Say][] = [
  [/^must not be empty$/, 'Fill in this field.'],
  [/^is required with a frame$/, 'Enter a text for the frame, or choose no frame.'],
  [/^is the name of another template/, 'Another template has this name. Choose another one.'],
  [
    /^must be a (whole )?number from (\S+) to (\S+)$/,
    (_label, [whole = '', from, to]) => `Enter a ${whole}number from ${from} to ${to}.`,
  ],
  [/^must be a whole number$/, 'Enter a whole number, in digits.'],
  [/^must be at least (\d+)$/, (_label, [least]) => `Enter ${least} or more.`],
  [/^must be at most (\d+)$/, (_label, [most]) => `Enter ${most} or less.`],
  [
    /^must have at most (\d+) characters$/,
    (label, [most]) => `${label} is too long. Shorten it to ${most} characters.`,
  ],
  [
    /^must be at most (\d+) bytes of UTF-8.*it has (\d+)$/,
    (label, [most, has]) =>
      `${label} is too long for a QR code: ${has} of at most ${most} bytes. Shorten it, or choose a lower error correction.`,
  ],
  [/^must be a hex color/, (label) => `Choose the ${label.toLowerCase()} color again, such as #1a1410.`],
  [/^must be one line of text/, (label) => `${label} has invisible or control characters. Type it again.`],
  [/^must be text without NUL/, (label) => `${label} has characters that cannot be stored. Type it again.`],
  [
    /^must not be a share address/,
    'This is a share link of this service, which would lead in a circle. Enter the page that it should open.',
  ],
  [
    /^must be darker than (.+?)(?:, which is (#\w+))?: /,
    (label, [behind, color]) =>
      `Choose a darker ${label.toLowerCase()}: phones cannot tell it from ${behind}${color ? ` (${color})` : ''}.`,
  ],
];

export function errorSentence(label: string, rule: string): string {
  const message = withTemplates(rule);
  const subject = label.replace(' (optional)', '');
  for (const [pattern, sentence] of sentences) {
    const found = pattern.exec(message);
    if (found) return typeof sentence === 'string' ? sentence : sentence(subject, found.slice(1));
  }
  return /^\p{Ll}/u.test(message) ? `${subject} ${message}.` : `${message}.`;
}
