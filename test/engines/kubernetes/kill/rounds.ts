import { randomFrom } from "../../../kill/random.ts";
import type { Change } from "./changes.ts";
import type { Lane } from "./lane.ts";
import { type Outcome, playRound, type Rehearsal, rehearse } from "./round.ts";

type Playing = {
  readonly of: readonly Change[];
  readonly rounds: number;
  readonly seed: number;
  readonly onRound: (line: string) => void;
};

/** Plays that many of these changes in turn, each killed at a moment that the seed chooses. */
export async function playRounds(lane: Lane, { of, rounds, seed, onRound }: Playing): Promise<readonly Outcome[]> {
  const random = randomFrom(seed);
  const rehearsals = new Map<Change, Rehearsal>();
  const outcomes: Outcome[] = [];
  for (let number = 0; number < rounds; number += 1) {
    const change = of[number % of.length];
    if (change === undefined) throw new Error("no changes");
    const rehearsal = rehearsals.get(change) ?? (await rehearse(lane, change, `rehearsal${number}`));
    rehearsals.set(change, rehearsal);
    // One more than there are: then it is killed after its answer.
    const write = 1 + Math.floor(random() * (rehearsal.writes + 1));
    const moment = { write, when: random() < 0.5 ? "before" : "after" } as const;
    const outcome = await playRound(lane, { name: `round${number}`, change, moment }, rehearsal);
    onRound(lineOf(outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

/** To find it again. */
function lineOf({ round, told, verdict, killedAt, status, violations }: Outcome): string {
  const half = status === undefined ? "" : `, status ${status}`;
  const bad = violations.map((violation) => `\n  ! ${violation}`).join("");
  return `${round.name} ${round.change.name}: killed ${killedAt}; client told ${told}; ${verdict}${half}${bad}`;
}
