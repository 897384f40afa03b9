// Counts the files in a ZIP archive while it arrives. Our archives have the size of each file before its data.

const headBytes = 30;
const fileSignature = 0x04034b50;

/** Returns a function that takes each part of the archive and returns how many files are complete. */
export function createFileCounter() {
  const head = new Uint8Array(headBytes);
  let filled = 0;
  let toSkip = 0;
  let files = 0;
  let isEnd = false;

  function readHead() {
    const view = new DataView(head.buffer);
    filled = 0;
    isEnd = view.getUint32(0, true) !== fileSignature;
    toSkip = view.getUint32(18, true) + view.getUint16(26, true) + view.getUint16(28, true);
  }

  return (part) => {
    for (let at = 0; at < part.length && !isEnd; ) {
      if (toSkip > 0) {
        const step = Math.min(toSkip, part.length - at);
        toSkip -= step;
        at += step;
        if (toSkip === 0) files += 1;
        continue;
      }
      const step = Math.min(headBytes - filled, part.length - at);
      head.set(part.subarray(at, at + step), filled);
      filled += step;
      at += step;
      if (filled === headBytes) readHead();
    }
    return files;
  };
}
