// Entry point of every thread while the service runs from TypeScript: a thread does not inherit the module loader of its
// process. Plain JavaScript, because it runs before the loader is registered.
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
