/** Runs `work` as in a process whose environment has another time zone. */
export async function inTimeZone<Value>(zone: string, work: () => Promise<Value>): Promise<Value> {
  const { TZ: before } = process.env;
  process.env['TZ'] = zone;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}
