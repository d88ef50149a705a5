import { randomFrom } from "../kill/random.ts";

/** Choices that look random and are the same for the same seed. */
export type Dice = {
  /** From 0 to 1. */
  readonly next: () => number;
  /** A whole number below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  readonly chance: (probability: number) => boolean;
};

/** Each request has dice of its own, so that what one request is does not depend on the answers to those before it. */
export function diceFor(seed: number, index: number): Dice {
  const next = randomFrom((seed * 1_000_003 + index * 7_919) % 2 ** 32);
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    chance: (probability) => next() < probability,
  };
}

/** One of several with weights. */
export function weighted<Item>(
  dice: Dice,
  items: readonly [readonly [Item, number], ...(readonly [Item, number])[]],
): Item {
  const total = items.reduce((sum, [, weight]) => sum + weight, 0);
  let at = dice.next() * total;
  for (const [item, weight] of items) {
    at -= weight;
    if (at < 0) return item;
  }
  return items[0][0];
}
