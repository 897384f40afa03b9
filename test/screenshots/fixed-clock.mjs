// Loaded with `node --import`: the clock stands at FIXED_NOW, so that `qrelay demo` makes the same scans every time.
const fixedMs = Date.parse(process.env.FIXED_NOW);

globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [fixedMs] : args));
  }
  static now() {
    return fixedMs;
  }
};
