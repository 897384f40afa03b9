/** Widths of the printed picture that a design is proven at, the largest first. */
export const provenSizesMm = [30, 20, 15] as const;
export type ProvenSizeMm = (typeof provenSizesMm)[number];

/** From how far the sizes are proven. */
export const distanceCm = 15;
