// What a thread starts with where the service runs as TypeScript: a thread does not take over the loader of its process.
// Plain JavaScript, because it runs before that loader does.
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
