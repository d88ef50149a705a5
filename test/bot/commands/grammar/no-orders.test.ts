import { describe, expect, test } from "vitest";
import { isReadOnly } from "../../../../src/bot/commands/command.ts";
import { readMention } from "../../../../src/bot/commands/grammar/mention-words.ts";
import { meant } from "../support/meant.ts";

/** Whether a message changes something, or offers to with a button that confirms it. */
function isOrder(text: string): boolean {
  const heard = readMention({ text }, []);
  return (heard.kind === "run" || heard.kind === "confirm") && !isReadOnly(heard.parsed.command);
}

const orders = ["restart web", "stop worker", "delete web", "scale web to 3", "roll back web", "deploy 1.6 to web"];

const around = [
  "don't ORDER",
  "please do not ORDER yet",
  "no need to ORDER",
  "you should not ORDER",
  "can I ORDER?",
  "can we ORDER",
  "should we ORDER",
  "shall I ORDER?",
  "do we have to ORDER",
  "is it safe to ORDER",
  "what happens if I ORDER",
  "what if we ORDER",
  "how do I ORDER",
  "who can ORDER",
  "did anyone ORDER",
  "have you tried to ORDER",
  "i think we should ORDER",
  "maybe ORDER",
  "remind me to ORDER",
  "ask dana to ORDER",
  "if it fails ORDER",
  "ORDER after the deploy",
  "ORDER once it is idle",
  "ORDER before 6pm",
  "ORDER until monday",
  "ORDER if it fails again",
  "ORDER or not",
];

describe("questions, negations, conditions and times don't change anything", () => {
  test.each(around)("%s", (says) => {
    for (const order of orders) {
      const text = says.replace("ORDER", order);
      expect([text, isOrder(text)]).toEqual([text, false]);
    }
  });

  test.each([
    "why was web not restarted",
    "why wasn't web restarted?",
    "did someone scale web to 0",
    "was worker stopped by dana",
    "web got restarted twice",
    "we restarted web yesterday",
    "i just rolled back web",
    "dana stopped worker",
    "scaled web to 3",
    "deployed 1.6 to web",
    "is 1.6 deployed to web",
    "does web need a restart?",
    "does worker have to be restarted",
    "is a restart of web needed",
    "would a restart help web",
    "will web restart on its own",
    "was the rollback of web successful",
    "stop restarting web",
    "please stop web from restarting",
    "restart web, not worker",
    "restart web (not worker)",
    "restart web [don't]",
    "stop web and start worker",
    "cancel the restart of web",
    "clear the queue of worker",
    "take web down for 5 minutes",
    "should I approve K7Q2MX",
    "did anyone approve K7Q2MX",
  ])("%s", (text) => expect(isOrder(text)).toBe(false));
});

test("an order behind one other word isn't run, and that word is named", () => {
  for (const word of ["maybe", "quickly", "hard"]) {
    const read = readMention({ text: `${word} restart web` }, []);
    expect(read).toMatchObject({ kind: "miss", error: { message: expect.stringContaining(`understand \`${word}\``) } });
  }
});

test("names without an and, one of which means something in a sentence, are confirmed", () => {
  expect(meant("delete web logs")).toBe("ask: delete web logs");
  expect(meant("restart logs web")).toBe("ask: restart logs web");
  expect(meant("stop deploying web")).toBe("show web");
  expect(meant("restart web worker")).toBe("restart web worker");
  expect(meant("restart web and queue")).toBe("restart web queue");
  expect(meant("stop web, queue")).toBe("stop web queue");
});

test("a tag that reads like a word of a sentence is confirmed", () => {
  for (const word of ["failed", "stuck", "done", "history", "quickly", "everywhere", "payments-api", "latest"]) {
    expect(meant(`deploy web ${word}`)).toBe(`ask: deploy web image=${word}`);
    expect(meant(`deploy shop-* ${word}`)).toBe(`ask: deploy shop-* image=${word}`);
  }
  for (const tag of ["1.5", "v2", "shop/web:latest", "sha-4f2a"]) {
    expect(meant(`deploy web ${tag}`)).toBe(`deploy web image=${tag}`);
  }
  expect(meant("deploy web:latest")).toBe("deploy web image=latest");
});

test("of those who may, all can be asked about", () => {
  expect(meant("can we restart web")).toBe("can-i verb=restart words=web");
  expect(meant("are we allowed to delete web")).toBe("can-i verb=delete words=web");
});
