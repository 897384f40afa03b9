/** A queue that serves clients round-robin, and each client's items in order. */
export interface FairQueue<Item> {
  add(client: string, item: Item): void;
  next(): Item | undefined;
  /** Removes and returns the newest item of the client that has the most items. */
  dropLatestOfBusiest(): Item | undefined;
  size(): number;
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order of their turns: the first client is next. */
  const queues = new Map<string, Item[]>();
  let size = 0;

  return {
    add(client, item) {
      const queue = queues.get(client);
      if (queue) queue.push(item);
      else queues.set(client, [item]);
      size += 1;
    },
    next() {
      const [first] = queues;
      if (!first) return undefined;
      const [client, queue] = first;
      const item = queue.shift();
      size -= 1;
      queues.delete(client);
      if (queue.length > 0) queues.set(client, queue);
      return item;
    },
    dropLatestOfBusiest() {
      let busiest: [string, Item[]] | undefined;
      for (const entry of queues) if (!busiest || entry[1].length >= busiest[1].length) busiest = entry;
      if (!busiest) return undefined;
      const [client, queue] = busiest;
      const item = queue.pop();
      size -= 1;
      if (queue.length === 0) queues.delete(client);
      return item;
    },
    size: () => size,
  };
}
