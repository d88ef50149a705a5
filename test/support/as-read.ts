import type { ParsedAnswer } from "../../src/api/answers.ts";
import type { Guarded } from "../../src/api/redacted.ts";

export type PlainService = ParsedAnswer<"getService">;
export type PlainJob = ParsedAnswer<"getJob">;

/** As the bot reads it: what tests write has no secrets in it. */
export function asRead<Answer>(answer: Answer): Guarded<Answer> {
  return answer as Guarded<Answer>;
}
