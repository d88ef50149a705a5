import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../src/api/problem.ts";
import { anyCharacter } from "../support/any-character.ts";
import { apiAnswering, calls, dana } from "./calls.ts";

const ops = Object.values(calls);
const status = fc.constantFrom(200, 201, 299, 301, 400, 401, 404, 429, 500, 503, 599);

// Bodies near the real ones: known keys with values of any kind.
const keys = [
  "jobs",
  "services",
  "name",
  "metadata",
  "spec",
  "status",
  "containers",
  "log",
  "message",
  "errors",
  "__proto__",
];
const { near } = fc.letrec<{ near: unknown }>((tie) => ({
  near: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    fc.constantFrom(dana.token, `x ${dana.token}`, "<p>", "\u0000", "\u202e", "a\nb"),
    fc.array(tie("near"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie("near"), { maxKeys: 4 }),
  ),
}));
const body = fc.oneof(
  near.map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: anyCharacter }),
  fc.json().map((text) => text.slice(0, text.length / 2)),
);

async function outcome(call: (typeof ops)[number], code: number, sent: string | Uint8Array<ArrayBuffer>) {
  try {
    await apiAnswering(code, sent).send(call);
    return undefined;
  } catch (error) {
    return error;
  }
}

function expectFitToShow(problem: unknown): void {
  expect(problem).toBeInstanceOf(Problem);
  if (!(problem instanceof Problem)) return;
  for (const said of [problem.sentence, problem.next]) {
    expect(said).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    expect(said).not.toContain(dana.token);
    expect(said.length).toBeGreaterThan(10);
    expect(said.length).toBeLessThan(600);
  }
}

describe("whatever the service answers, `send` answers or throws a Problem that can be shown", () => {
  test("any text", async () => {
    const property = fc.asyncProperty(fc.constantFrom(...ops), status, body, async (call, code, text) => {
      const error = await outcome(call, code, text);

      if (error !== undefined) expectFitToShow(error);
    });

    await fc.assert(property);
  });

  test("any bytes", async () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const property = fc.asyncProperty(fc.constantFrom(...ops), status, bytes, async (call, code, sent) => {
      const error = await outcome(call, code, new Uint8Array(sent));

      if (error !== undefined) expectFitToShow(error);
    });

    await fc.assert(property);
  });

  test("JSON nested 100,000 deep", async () => {
    const deep = `{"jobs":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const lines = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

    for (const call of ops) {
      for (const [code, text] of [[200, deep] as const, [200, lines] as const, [400, deep] as const]) {
        const error = await outcome(call, code, text);

        if (error !== undefined) expectFitToShow(error);
      }
    }
    expect(ops).toHaveLength(14);
  });
});
