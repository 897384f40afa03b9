// The generators use the compiler's JavaScript API, which TypeScript 7 does not have. @ts-morph/common brings the API of
// TypeScript 6 without a second `tsc`.
export { ts as default } from '@ts-morph/common';
