import fc from "fast-check";
import { expect, test } from "vitest";
import {
  aborted,
  heldBack,
  invalid,
  Problem,
  refusal,
  timedOut,
  unexpected,
  unreachable,
} from "../../../src/api/problem.ts";
import { type OperationId, operationTable } from "../../../src/api/operations.ts";
import { UserError } from "../../../src/bot/errors.ts";
import { changeCard } from "../../../src/bot/views/cards/change-card.ts";
import { problemMessage, userErrorMessage, refusalMessage } from "../../../src/bot/views/messages/error-messages.ts";
import type { Message } from "../../../src/bot/views/kit/post.ts";
import { drawnAll } from "./support/drawn.ts";
import { ended, run } from "./support/stored-changes.ts";

// Whatever failed and however it is told: no message says a sentence twice.

const sentences = [
  "Nothing was changed.",
  "Try again.",
  "Try again in a minute.",
  "If you need this, ask your Gantry admin.",
  "Correct the values and try again.",
  "Its disk is full.",
] as const;
/** What a workload API says, or a mistake. */
const words = fc.array(fc.constantFrom(...sentences, "the quota is used up", "nothing was changed."), {
  minLength: 1,
  maxLength: 4,
});
const text = words.map((some) => [...new Set(some)].join(" "));

const op = fc.constantFrom(...(Object.keys(operationTable) as OperationId[])); // the table has these keys
const problem: fc.Arbitrary<Problem> = fc.oneof(
  fc
    .record({
      op,
      status: fc.constantFrom(400, 401, 403, 404, 405, 409, 413, 418, 422, 429, 500, 502, 503, 504, 507),
      detail: fc.option(text, { nil: undefined }),
      retryAfterSeconds: fc.option(fc.constant(30), { nil: undefined }),
    })
    .map(refusal),
  fc.tuple(op, fc.boolean()).map(([each, maybeSent]) => aborted(each, maybeSent)),
  fc.tuple(op, fc.boolean()).map(([each, maybeSent]) => timedOut(each, 10_000, maybeSent)),
  op.map(heldBack),
  op.map((each) => unexpected(each, "HTML", 200)),
  op.map((each) => unreachable(each, new Error("reset"), "api:80")),
  fc.tuple(op, text, text).map(([each, sentence, next]) => invalid(each, sentence, next)),
);
const mistake = fc
  .tuple(text, fc.option(text, { nil: undefined }))
  .map(([said, next]) => new UserError(said, { next }));

function expectOnce(message: Message): void {
  const said = drawnAll(message)
    .split("\n")
    .flatMap((line) => line.split(/(?<=[.!?])\s+|:\s+|\s·\s/u))
    .map((each) =>
      each
        .replace(/^[❌🚫]\s*/u, "")
        .replace(/\.$/u, "")
        .trim()
        .toLowerCase(),
    )
    .filter((each) => each !== "");
  expect(said).toEqual([...new Set(said)]);
}

test("a problem of the workload API says no sentence twice", () => {
  fc.assert(
    fc.property(problem, fc.constantFrom("read" as const, "write" as const), (failed, effect) => {
      expectOnce(problemMessage(failed, { reference: "abc", effect }));
    }),
  );
});

test("a mistake says no sentence twice", () => {
  fc.assert(fc.property(mistake, (mistaken) => expectOnce(userErrorMessage(mistaken, "/gantry"))));
});

test("a refusal that the workload API announced says no sentence twice", () => {
  fc.assert(fc.property(text, text, (why, other) => expectOnce(refusalMessage({ kind: "api", why, others: [other] }))));
});

test("the card of a request that failed says no sentence twice", () => {
  fc.assert(
    fc.property(fc.oneof(problem, mistake), (failed) => {
      const [why, next] =
        failed instanceof Problem ? [failed.sentence, failed.next] : [failed.message, failed.next ?? ""];
      expectOnce(
        changeCard({ change: ended("failed", { ending: run({ kind: "failed", why, next }) }), canUndo: false }),
      );
    }),
  );
});
