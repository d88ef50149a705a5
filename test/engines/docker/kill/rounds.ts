import { randomFrom } from "../../../kill/random.ts";
import type { Lane } from "../support/lane.ts";
import { type Change, changes } from "./changes.ts";
import { type Moment, type Outcome, playRound, type Rehearsal, rehearse } from "./round.ts";

type Playing = { readonly rounds: number; readonly seed: number; readonly onRound: (line: string) => void };

const LONGEST_DOWN_MS = 1_500;

/** Plays that many changes in turn, each killed at a moment that the seed chooses. */
export async function playRounds(lane: Lane, { rounds, seed, onRound }: Playing): Promise<readonly Outcome[]> {
  const random = randomFrom(seed);
  const rehearsals = new Map<Change, Rehearsal>();
  const outcomes: Outcome[] = [];
  // Few rounds are a part of the changes, which the seed chooses too.
  const first = Math.floor(random() * changes.length);
  for (let number = 0; number < rounds; number += 1) {
    const change = changes[(first + number * 3) % changes.length];
    if (change === undefined) throw new Error("no changes");
    const rehearsal = rehearsals.get(change) ?? (await rehearse(lane, { change, name: `rehearsal${number}` }));
    rehearsals.set(change, rehearsal);
    const moment = momentIn(rehearsal, random);
    const downMs = Math.floor(random() * LONGEST_DOWN_MS);
    const outcome = await playRound(lane, { name: `round${number}`, change, moment, downMs });
    onRound(lineOf(outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Mostly at a write to the daemon; also between two of them, and after the last. */
function momentIn({ writes, ms }: Rehearsal, random: () => number): Moment {
  if (random() < 0.3) return { ms: Math.floor(random() * ms) };
  return { write: 1 + Math.floor(random() * (writes + 1)), when: random() < 0.5 ? "before" : "after" };
}

/** To find it again. */
export function lineOf({ round, told, verdict, killedAt, violations }: Outcome): string {
  const bad = violations.map((violation) => `\n  ! ${violation}`).join("");
  return `${round.name} ${round.change.name}: killed ${killedAt}; client told ${told}; ${verdict}${bad}`;
}
