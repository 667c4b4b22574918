/** A source of numbers in [0, 1) that a seed determines. */
export type Random = () => number;

/** Mulberry32: small, and good enough to draw samples. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** N of them, none twice; fewer when there are fewer. */
export function draw<T>(from: readonly T[], count: number, random: Random): T[] {
  const left = [...from];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const at = Math.floor(random() * left.length);
    drawn.push(...left.splice(at, 1));
  }
  return drawn;
}
