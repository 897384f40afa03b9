export const hashSlots = 16_384;

/** How far from its place the slot of a tag may be. A narrower range would take longer to find. */
const tolerance = 32;
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/** The slot of a key or hash tag in a Redis Cluster: CRC-16/XMODEM, modulo the number of slots. */
export function hashSlot(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc % hashSlots;
}

/**
 * The hash tag of the number-th of several queues. Each node of a cluster has a range of slots. Multiples of the golden
 * ratio fill the whole range evenly, however many there are, and the place of a queue does not depend on how many follow.
 * Another tag would strand the jobs of its queue.
 */
export function spreadTag(name: string, number: number): string {
  const place = Math.floor(((number * goldenRatio) % 1) * hashSlots);
  for (let variant = 0; ; variant += 1) {
    const tag = `${name}-${number}-${variant}`;
    if (Math.abs(hashSlot(tag) - place) <= tolerance) return tag;
  }
}
