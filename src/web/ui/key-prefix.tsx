/** As much of a key as is ever shown again: it tells one from another. */
export function KeyPrefix({ prefix }: { prefix: string }) {
  return <code>qrl_{prefix}_…</code>;
}
