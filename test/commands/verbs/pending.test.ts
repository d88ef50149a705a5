import { expect, test } from "vitest";
import { Ask } from "../../../src/commands/ask.ts";
import { commandOf } from "../../../src/commands/grammar/parse.ts";
import type { Message } from "../../../src/views/kit/message.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo, scripted } from "../support/script.ts";
import { waiting } from "../support/stored.ts";

test("nothing waits", async () => {
  expect(drawn(await answerTo("pending"))).toMatchInlineSnapshot(`
    "Nothing waits for approval.
    What was decided lately stands in /gantry history"
  `);
});

test("what waits says who asks for what and why, the votes so far, until when, and where its card is", async () => {
  const other = {
    ...waiting,
    id: "A1B2C3",
    reason: undefined,
    votes: [],
    card: undefined,
    expiresAt: undefined,
    workload: { ...waiting.workload, region: "beijing2" },
    diff: ["+ domain a.example.com", "+ domain b.example.com", "− domain c.example.com"],
  };

  const message = await answerTo("pending", { pending: [waiting, other] });

  expect(message.text).toMatchInlineSnapshot(`
    "2 changes wait for approval
    K7Q2MX: Dana Reyes asks to scale service web, 1 of 2 votes: Alex Kim
    A1B2C3: Dana Reyes asks to scale service web in beijing2, 0 of 2 votes"
  `);
  expect(drawn(message)).toMatchInlineSnapshot(`
    "2 changes wait for approval
    K7Q2MX  Dana Reyes asks to scale service web
    instances 6 → 0 · destructive
    Why: the sale is over
    1 of 2 votes: Alex Kim · until 2026-11-21 12:30 UTC · card in #ops
    A1B2C3  Dana Reyes asks to scale service web in beijing2
    + domain a.example.com, + domain b.example.com, and 1 more · destructive
    0 of 2 votes · no end · its card is not posted yet
    Decide on the card, or with /gantry approve ID, /gantry reject ID; /gantry cancel ID takes back your own."
  `);
});

test("nobody is called by a list that somebody shares, and nothing sealed is in it", async () => {
  const json = JSON.stringify(await answerTo("pending", { pending: [waiting] }));

  expect(waiting.sealed).toContain("SEALED");
  expect(json).toContain(waiting.id);
  expect(json).toContain("Dana Reyes");
  expect(json).not.toMatch(/"type":"(?:user|usergroup|broadcast)"/u);
  expect(json).not.toContain("SEALED");
});

/** What the button of that name asks for. */
function asked(message: Message, label: string): Ask {
  for (const block of message.blocks) {
    if (block.type !== "actions") continue;
    for (const element of block.elements) {
      if (element.type === "button" && element.text.text === label) return Ask.parse(JSON.parse(element.value ?? ""));
    }
  }
  throw new Error(`no button ${label}`);
}

test("many are paged by buttons, each of them once", async () => {
  const all = Array.from({ length: 14 }, (_, at) => ({ ...waiting, id: `CHNG${String(at).padStart(2, "0")}` }));
  const { context } = scripted({ pending: all });
  const turn = async (ask: Ask) => {
    const command = commandOf(ask);
    if (command.effect !== "read") throw new Error("no read");
    return command.answer(ask, context);
  };

  const first = await answerTo("pending", { pending: all });
  const second = await turn(asked(first, "Next"));
  const third = await turn(asked(second, "Next"));
  const seen = [first, second, third].flatMap((page) => drawn(page).match(/CHNG\d\d/gu) ?? []);

  expect(seen).toEqual(all.map(({ id }) => id));
  expect(() => asked(third, "Next")).toThrow("no button");
  expect(drawn(await turn(asked(third, "Back")))).toBe(drawn(second));
});
