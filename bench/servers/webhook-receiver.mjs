import { createServer } from 'node:http';

// Below /bad, three calls of ten fail and one hangs.
let calls = 0;
createServer((req, res) => {
  req.resume();
  req.once('end', () => {
    calls += 1;
    const fate = req.url?.startsWith('/bad') ? calls % 10 : 9;
    if (fate === 0) return;
    res.writeHead(fate <= 3 ? 500 : 200).end();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.('ready'));
