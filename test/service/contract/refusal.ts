import { expect } from "vitest";
import type { Reply } from "./world.ts";

type Refused = {
  readonly status: number;
  /** What the sentence has to name; without it any sentence is fine. */
  readonly naming?: string;
  /** What was asked for, told when it was not refused. */
  readonly of?: unknown;
};

/** The answer is a refusal with a sentence. */
export function expectRefusal(reply: Reply, { status, naming, of }: Refused): void {
  const message = naming === undefined ? expect.stringMatching(/\S+ \S+ \S+/) : expect.stringContaining(naming);
  expect({ of, status: reply.status, body: reply.body }).toEqual({ of, status, body: { message } });
}
