import { expect, test } from "vitest";
import { kindNamed } from "../../../../src/bot/commands/grammar/argument-types.ts";
import { dictionary, isNoun, phraseWord } from "../../../../src/bot/commands/grammar/dictionary.ts";
import { meant } from "../support/meant.ts";

/** Words that mean something in sentences, such as "queue" and "events", can be names of workloads. */
const names = [...dictionary.keys()].filter((word) => isNoun(word) && !isKind(word));

/** "scale pods to 3" names no workload, and neither does "scale deployments". */
function isKind(word: string): boolean {
  return kindNamed(word) !== undefined || /^pods?$/u.test(word);
}

const sentences: readonly (readonly [says: string, becomes: string])[] = [
  ["restart X", "restart X"],
  ["can you restart X please", "ask: restart X"],
  ["restart the X service", "ask: restart service/X"],
  ["restart X and web", "restart X web"],
  ["scale X to 3", "scale X size=3"],
  ["show me the logs of X", "logs X"],
  ["why is X failing", "why X"],
  ["is X ok", "show X brief=true"],
  ["revert X 1", "ask: rollback X revision=1"],
  ["roll back X to 1", "rollback X revision=1"],
  ["who deployed X last", "history X verb=deploy,rollback last=true"],
];

/** "The logs of the output" names nothing, "requests" that fail are those to Gantry, and "image 1" is a version. */
const meansMore: Readonly<Record<string, readonly string[]>> = {
  "show me the logs of X": ["logs"],
  "why is X failing": ["request"],
  "revert X 1": ["version", "versions", "undo"],
};

test.each(sentences)("each noun may be the X of %j", (says, becomes) => {
  expect(names.length).toBeGreaterThan(80);
  for (const name of names) {
    if (meansMore[says]?.includes(phraseWord(name)) === true) continue;
    expect(meant(says.replace("X", name))).toBe(becomes.replace("X", name));
  }
});

test("a noun stays what it is where the command has a word for it, and in the first place", () => {
  for (const says of ["set replicas to 3", "deploy the image 1.6", "is my request done"]) {
    expect(meant(says)).toBe("miss");
  }
  expect(meant("show me the history of changes")).toBe("history");
  expect(meant("help restart")).toBe("help verb=restart");
});

test("of two nouns, the one before a number is the name, or else the last one", () => {
  expect(meant("can you revert review 1 in the queue")).toBe("miss");
  expect(meant("show me the logs of the queue")).toBe("logs queue");
  expect(meant("the output of the queue service")).toBe("logs service/queue");
});
