/** Per process. */
const maxStreams = 500;
/** Enough for an office behind one address, while a few addresses cannot use up all streams. */
const maxStreamsPerAddress = 100;
const maxStreamsPerUser = 20;

export interface OpenStream {
  userId: string;
  address: string;
  /** Closes it because another stream takes its slot. */
  evict(): void;
}

/** The open streams, oldest first. */
export interface StreamLimits {
  /** At a limit, evicts the oldest stream of the client with the most. False if the new stream's client would then have as many. */
  acquire(stream: OpenStream): boolean;
  release(stream: OpenStream): void;
}

export function createStreamLimits(): StreamLimits {
  const open = new Set<OpenStream>();

  /** Evicts a stream of the user or address that has most of `streams`, unless the newcomer would then have as many. */
  function makeRoom(streams: OpenStream[], newcomer: OpenStream, by: 'userId' | 'address'): boolean {
    const counts = new Map<string, number>();
    for (const stream of streams) counts.set(stream[by], (counts.get(stream[by]) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most <= (counts.get(newcomer[by]) ?? 0) + 1) return false;
    const oldest = streams.find((stream) => counts.get(stream[by]) === most);
    if (oldest) evict(oldest);
    return true;
  }

  function evict(stream: OpenStream): void {
    // Its slot is free at once; its close event comes later.
    open.delete(stream);
    stream.evict();
  }

  return {
    acquire(newcomer) {
      const all = [...open];
      const ofUser = all.filter(({ userId }) => userId === newcomer.userId);
      const ofAddress = all.filter(({ address }) => address === newcomer.address);
      // A tab that was just opened is in use; the oldest of twenty probably is not.
      if (ofUser[0] && ofUser.length >= maxStreamsPerUser) evict(ofUser[0]);
      else if (ofAddress.length >= maxStreamsPerAddress && !makeRoom(ofAddress, newcomer, 'userId'))
        return false;
      else if (open.size >= maxStreams && !makeRoom(all, newcomer, 'address')) return false;
      open.add(newcomer);
      return true;
    },
    release: (stream) => void open.delete(stream),
  };
}
