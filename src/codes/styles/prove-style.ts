import type { Design } from '../design/design.ts';
import type { NewLogo } from '../logo/stored-logo.ts';
import { type Look, pictureOf, proveDesign } from '../proof/prove-design.ts';
import type { Proofs } from '../proof/proofs.ts';
import type { Caller } from '../../runtime/fair-scheduler.ts';

/** The code that a style is shown and proven with. Its share link is as long as any other. */
export const exampleCode: Look = {
  shareToken: 'ExampleABC',
  content: 'https://example.com/',
  errorCorrection: 'M',
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
};

export function stylePicture(design: Design, baseUrl: string) {
  return pictureOf(exampleCode, design, baseUrl);
}

/** Throws a validation error where phones could not even read the example. Each code is proven again. */
export async function proveStyle(
  proofs: Proofs,
  caller: Caller,
  design: Design,
  baseUrl: string,
  newLogo?: NewLogo,
): Promise<void> {
  await proveDesign(proofs, caller, exampleCode, design, baseUrl, { newLogo });
}
