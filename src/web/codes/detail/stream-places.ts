/** Each process. */
const mostStreams = 500;
/** A whole office behind one address has enough; a few addresses must not take all places. */
const mostStreamsAnAddress = 100;
const mostStreamsAUser = 20;

export interface OpenStream {
  userId: string;
  address: string;
  /** Ends it because another one needs its place. */
  giveWay(): void;
}

/** Who has an open stream, oldest first. */
export interface StreamPlaces {
  /** Where all places are taken, the oldest stream of whoever has most gives way. False where that would be unfair. */
  take(stream: OpenStream): boolean;
  leave(stream: OpenStream): void;
}

export function createStreamPlaces(): StreamPlaces {
  const open = new Set<OpenStream>();

  /** Who takes the most places of `streams` has to make one, unless the newcomer would then have as many. */
  function makeRoom(streams: OpenStream[], newcomer: OpenStream, by: 'userId' | 'address'): boolean {
    const counts = new Map<string, number>();
    for (const stream of streams) counts.set(stream[by], (counts.get(stream[by]) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most <= (counts.get(newcomer[by]) ?? 0) + 1) return false;
    const oldest = streams.find((stream) => counts.get(stream[by]) === most);
    if (oldest) close(oldest);
    return true;
  }

  function close(stream: OpenStream): void {
    // Its own close is told later; the place is free at once.
    open.delete(stream);
    stream.giveWay();
  }

  return {
    take(newcomer) {
      const all = [...open];
      const own = all.filter(({ userId }) => userId === newcomer.userId);
      const here = all.filter(({ address }) => address === newcomer.address);
      // A tab that was just opened is looked at; the oldest of twenty hardly is.
      if (own[0] && own.length >= mostStreamsAUser) close(own[0]);
      else if (here.length >= mostStreamsAnAddress && !makeRoom(here, newcomer, 'userId')) return false;
      else if (open.size >= mostStreams && !makeRoom(all, newcomer, 'address')) return false;
      open.add(newcomer);
      return true;
    },
    leave: (stream) => void open.delete(stream),
  };
}
