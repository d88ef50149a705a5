import { expect, test } from "vitest";
import { Ask } from "../../../../src/bot/ask.ts";
import { type HistoryEvent, unconfirmedText } from "../../../../src/bot/changes/history-event.ts";
import { commandOf } from "../../../../src/bot/commands/grammar/parse.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo, scripted } from "../support/script.ts";
import { event, waiting } from "../support/stored.ts";

test("nothing waits", async () => {
  expect(drawn(await answerTo("pending"))).toMatchInlineSnapshot(`
    "Nothing is waiting for approval.
    [Recent requests]"
  `);
});

test("each request says who asks for what and why, whose approval it needs, until when, and what the reader may do", async () => {
  const own = {
    ...waiting,
    id: "A1B2C3",
    votes: [],
    reason: undefined,
    requester: { userId: "U0DANA", name: "Dana Reyes" },
  };
  const alexs = {
    ...waiting,
    requester: { userId: "U0ALEX", name: "Alex Kim" },
    votes: [],
    workload: { ...waiting.workload, region: "beijing2" },
    createdAt: new Date("2026-11-21T11:57:00Z"),
  };
  const omars = {
    ...waiting,
    id: "Q9Q9Q9",
    verb: "domains",
    risk: "routine",
    requester: { userId: "U0OMAR", name: "Omar Haddad" },
    terms: waiting.terms && {
      ...waiting.terms,
      from: { users: ["U0ALEX"], groups: ["S0ONCALL"], channelMembers: false },
    },
    card: undefined,
    expiresAt: undefined,
    diff: ["+ domain a.example.com", "+ domain b.example.com", "− domain c.example.com"],
  } as const; // literal words

  const message = await answerTo("pending", {
    pending: [omars, own, alexs],
    mayDecide: [alexs.id],
    couldApprove: ["Alex Kim", "Kim Alexis", "Lee Ray", "Ann Lee"],
  });

  expect(message.text).toMatchInlineSnapshot(`
    "3 requests waiting for approval
    ⏳ Scale web in beijing2 to 0 · ⚠️ destructive, Alex Kim, 0 of 2 approvals · expires in 30 min
    ⏳ Scale web to 0 · ⚠️ destructive, Dana Reyes, 0 of 2 approvals · expires in 30 min
    ⏳ Change domains of web: + domain a.example.com, + domain b.example.com, 1 more, Omar Haddad, 1 of 2 approvals (Alex Kim) · never expires"
  `);
  expect(drawn(message)).toMatchInlineSnapshot(`
    "3 requests waiting for approval
    ⏳ Scale web in beijing2 to 0 · ⚠️ destructive
    Requested by Alex Kim, 3m ago: “the sale is over”
    Needs your approval · 0 of 2 · expires in 30 min
    K7Q2MX · card in #ops
    [Approve] [Reject]
    ⏳ Scale web to 0 · ⚠️ destructive
    Requested by Dana Reyes, 30m ago
    Needs 2 approvals from other members of #ops · 0 of 2 · expires in 30 min
    A1B2C3 · card in #ops
    [Cancel request]
    ⏳ Change domains of web: + domain a.example.com, + domain b.example.com, 1 more
    Requested by Omar Haddad, 30m ago: “the sale is over”
    Needs 1 approval from Alex Kim, Kim Alexis, Lee Ray or 1 more · 1 of 2 (Alex Kim) · never expires
    Q9Q9Q9 · its card isn't posted yet"
  `);
});

test("only a deletion after the request, with its account, is told beside it", async () => {
  const deletion = event(1, { kind: "done", verb: "delete", at: new Date("2026-11-21T11:40:00Z") });
  const told = async (more: Partial<HistoryEvent>): Promise<string> => {
    const message = await answerTo("pending", { pending: [waiting], events: [{ ...deletion, ...more }] });
    return [message.text, drawn(message)].join("\n");
  };

  expect(await told({})).toMatch(/expires in 30 min, web was deleted 20m ago\n[^]*^⚠️ web was deleted 20m ago$/mu);
  expect(await told({ at: new Date("2026-11-21T11:29:00Z") })).not.toContain("deleted");
  expect(await told({ account: "erin" })).not.toContain("deleted");
  expect(await told({ result: unconfirmedText("deletions") })).not.toContain("deleted");
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
  const second = await turn(asked(first, "Older"));
  const third = await turn(asked(second, "Older"));
  const seen = [first, second, third].flatMap((page) => drawn(page).match(/CHNG\d\d/gu) ?? []);

  expect(seen).toEqual(all.map(({ id }) => id).reverse());
  expect(() => asked(third, "Older")).toThrow("no button");
  expect(drawn(await turn(asked(third, "Newer")))).toBe(drawn(second));
});

test("what needs my approval is only what I can approve, and says what wasn't checked", async () => {
  const all = Array.from({ length: 22 }, (_, at) => ({ ...waiting, id: `CHNG${String(at).padStart(2, "0")}` }));
  const mine = await answerTo("pending --mine", { pending: all, mayDecide: ["CHNG00", "CHNG20", "CHNG21"] });
  const none = await answerTo("pending --mine", { pending: [waiting], mayDecide: [] });

  expect(mine.text).toContain("2 requests waiting for your approval");
  expect(drawn(mine).match(/CHNG\d\d/gu)).toEqual(["CHNG21", "CHNG20"]);
  expect(drawn(mine)).toContain("2 older requests not checked.");
  expect(drawn(none)).toContain("Nothing needs your approval.");
  expect(asked(none, "All requests").args).toEqual({});
});
