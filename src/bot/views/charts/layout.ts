/** The measures that both pictures share, in units: a phone shows 1000 of them on 400 points, so that 30 read as 12. */

export const width = 1000;
export const margin = 32;
/** Where the room for text and bars ends. */
export const right = width - margin;
export const sizes = { title: 40, body: 28, name: 30 } as const;
