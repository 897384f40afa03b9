/** The part of a key that identifies it. The rest is shown only when it is created. */
export function KeyPrefix({ prefix }: { prefix: string }) {
  return <code>qrl_{prefix}_…</code>;
}
