// Entry point of every thread while the service runs from TypeScript: a thread does not inherit the module loader of its
// process. Plain JavaScript, because it runs before the loader is registered.
const source = process.argv[2];
const root = new URL('../../', import.meta.url).href;

if (process.env.THREADS_FROM_BUILD === 'true' && source.startsWith(`${root}src/`)) {
  // Set by the tests, which have built before they start and open many threads: this takes a third of the time.
  await import(`${root}dist/${source.slice(root.length).replace(/\.ts$/, '.js')}`);
} else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source);
}
