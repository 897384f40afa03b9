// The servers of a whole `npm test`, in a process of its own: prints where they are, and stops them at the end of its input.
import { once } from 'node:events';
import { servers } from './servers.ts';
import { startServers } from './start-servers.ts';

// Ctrl-C reaches the whole process group: the runner's end closes our input, and then the servers are stopped.
process.on('SIGINT', () => undefined);
const started = await startServers();
console.log(JSON.stringify(servers()));
process.stdin.resume();
await once(process.stdin, 'end');
await started.stop();
