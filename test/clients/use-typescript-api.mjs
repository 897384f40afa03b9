// `node --import` this file: imports of `typescript` then get the compiler's JavaScript API.
import { register } from 'node:module';

const api = new URL('typescript-api.mjs', import.meta.url).href;
const hook = `export const resolve = (specifier, context, next) =>
  next(specifier === 'typescript' ? ${JSON.stringify(api)} : specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
