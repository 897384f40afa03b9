import { expect } from 'chai';
import { hashSlot, hashSlots, scanQueue, spreadTag } from '../../src/queue/scan-queue.ts';

describe('The queues on a Redis Cluster', () => {
  it('are in the slot that Redis computes', () => {
    // From the specification of Redis Cluster.
    expect(hashSlot('123456789')).to.equal(0x31c3);
    expect(hashSlot('foo')).to.equal(12_182);
  });

  it('keep their hash tags: other keys would strand their jobs', () => {
    expect(scanQueue.hashTag).to.equal('scans-1-271');
    expect(spreadTag('scans', 2)).to.equal('scans-2-68');
    expect(spreadTag('scans', 64)).to.equal('scans-64-153');
  });

  it('are on as many nodes as there are, with twice as many queues', () => {
    for (let nodes = 1; nodes <= 32; nodes += 1) {
      const used = new Set<number>();
      for (let number = 1; number <= 2 * nodes; number += 1)
        used.add(Math.floor((hashSlot(spreadTag('scans', number)) * nodes) / hashSlots));
      expect(used.size, `${nodes} nodes`).to.equal(nodes);
    }
  });
});
