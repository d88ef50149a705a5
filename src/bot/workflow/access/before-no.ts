import { freshness, type People } from "../ports.ts";

type Clocked = Pick<People, "nowMs">;

/** The maximum age of facts read since that moment. */
export function ageSince({ nowMs }: Clocked, sinceMs: number): number {
  return nowMs() - sinceMs + 1;
}

/**
 * An answer from facts that may be seconds old, unless it would be a no: somebody may just have been invited, or have
 * joined. Then it is asked again with facts read from now on.
 */
export async function beforeNo<Answer>(
  people: Clocked,
  ask: (maxAgeMs: number) => Promise<Answer>,
  isYes: (answer: Answer) => boolean,
  maxAgeMs: number = freshness.deciding,
): Promise<Answer> {
  const sinceMs = people.nowMs();
  const answer = await ask(maxAgeMs);
  return isYes(answer) ? answer : ask(Math.min(maxAgeMs, ageSince(people, sinceMs)));
}
