import { expect, test } from "vitest";
import { readMention } from "../../../src/bot/commands/grammar/mention-words.ts";
import { confirmed, confirmMessage } from "../../../src/bot/views/messages/confirm-message.ts";
import { drawn } from "./support/drawn.ts";

function confirming(text: string) {
  const meant = readMention({ text }, ["beijing1"]);
  if (meant.kind !== "confirm") throw new Error(`${text} is a ${meant.kind}`);
  return meant.parsed;
}

test("a sentence that changes something asks its author first", () => {
  expect(drawn(confirmMessage(confirming("can you scale web to 3 please?")))).toMatchInlineSnapshot(`
    "Scale web to 3?
    Nothing changes until you confirm.
    [Scale web to 3] [Cancel]"
  `);
});

test.each([
  ["restart the web service please", "Restart web?"],
  ["could you restart web", "Restart web?"],
  ["please add 2 instances to web", "Scale web by +2?"],
  ["approve k7q2mx please", "Approve K7Q2MX?"],
  ["silence web for 30 minutes", "Mute web for 30m?"],
  ["give me a daily digest", "Watch all: digest daily?"],
])("%s: %s", (text, question) => {
  expect(drawn(confirmMessage(confirming(text)))).toContain(question);
});

test.each([
  ["could you restart web in beijing1", "Restart web in beijing1?"],
  [
    "please deploy registry.example.com/teams/payments/shop-web-frontend:1.6.0-rc1 to web in beijing1",
    "Deploy web registry.example.com/teams/payments/shop-web-frontend:1.6.0-rc1 in beijing1?",
  ],
])("%s: its author reads the whole of it, and where", (text, question) => {
  expect(drawn(confirmMessage(confirming(text)))).toMatch(question);
});

test("what takes the place of the question says what became of it", () => {
  const said = [
    confirmed.requested(confirming("can you scale web to 3 please?")),
    confirmed.cancelled(),
    confirmed.used(),
    confirmed.expired(),
  ];

  expect(said.map(drawn).join("\n")).toMatchInlineSnapshot(`
    "Scale web to 3 · confirmed
    Cancelled. Nothing was changed.
    This button was used already. Nothing was requested again.
    This button expired after an hour. Nothing was changed. Ask again."
  `);
});
