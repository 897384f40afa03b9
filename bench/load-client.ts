// A process of its own, so that it measures redirects and does nothing else meanwhile.
import { type SteadyLoad, startLoad } from '../test/faults/steady-load.ts';

export interface LoadOrder {
  addresses: string[];
  perSecond: number;
}

let load: SteadyLoad | undefined;

process.on('message', (order: LoadOrder | 'stop') => {
  if (order !== 'stop') load = startLoad(order.addresses, order.perSecond);
  else void load?.stop().then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit());
