// The servers of a whole `npm test`, in a process of its own: prints where they are, and at the end of its input which
// statements Postgres has compiled, and stops them.
import { once } from 'node:events';
import { servers } from './servers.ts';
import { startServers } from './start-servers.ts';

// Ctrl-C reaches the whole process group: the runner's end closes our input, and then the servers are stopped.
process.on('SIGINT', () => undefined);
const started = await startServers();
console.log(JSON.stringify(servers()));
process.stdin.resume();
await once(process.stdin, 'end');
console.log(JSON.stringify(await started.compiledStatements()));
await started.stop();
