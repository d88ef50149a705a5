import { describe, expect, test } from "vitest";
import { sourceFiles, type Wording, wordingsIn } from "./collect.ts";
import { unread, viewOf, views } from "./views.ts";

/** Old phrases, each with the words to use. Add a line to forbid another one. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/\bstands?\b(?!-in)/iu, '"is", "means" or "shows"'],
  [/\bthereof\b/iu, "the noun"],
  [/\banew\b/iu, '"again"'],
  [/\bby itself\b/iu, '"automatically"'],
  [/\bthat of\b/iu, "the noun"],
  [/\bit is already so\b|\bif it stays so\b|\bleft as it (?:is|was)\b/iu, '"Nothing to do", "If this keeps happening"'],
  [/\b(?:not |un)told\b|\bis told\b/iu, '"unknown", "sees"'],
  [/\S\s+what is\b(?! your\b)/iu, "the noun: the state, the value, the workloads"],
  [/\bwho (?:runs?|keeps?)\b(?! in)|\bthose who\b/iu, '"your Gantry admin", "approvers"'],
  [/\bcarried out\b/iu, '"done" or "run"'],
  [/\bfor good\b/iu, '"permanently"'],
  [/\bone word too many\b/iu, "what the command takes"],
  // The policy file and the database keep their key: `votes: 1`.
  [/\bvot(?:es?|ed|ing)\b(?!:)/iu, '"approval"'],
  [
    /\bthe service (?:has )?(?:answer|accept|tell|told|know|refuse|take|took|gave|cannot|can't|did|does)/iu,
    '"the workload API"',
  ],
  [/\bchanges? (?:\$\{|`|[A-Z0-9]{6}\b)/u, '"request"'],
  [/\b(?:Gantry|the bot) (?:cannot|can't)\b|\bthis bot\b|\bin Gantry here\b/iu, '"I can\'t" or what failed'],
  [/\bnothing was (?:done|asked|sent again)\b/iu, '"Nothing was changed"'],
  [/\bwith which\b|\bto be (?:given|said|told)\b/iu, "a short active sentence"],
  [/\borganisation/iu, '"organization"'],
];

/** People write contractions; the simulated Slack also quotes Slack, which doesn't. */
const formal: readonly [RegExp, string] = [
  /\b(?:cannot|could not|did not|does not|is not|are not|was not)\b/iu,
  "the contraction",
];

function problemsOf({ file, line, text: drawn }: Wording): string[] {
  const text = drawn.replaceAll(/\{[^}]*\}/gu, "…");
  const phrases = file.startsWith("playground/") ? forbidden : [...forbidden, formal];
  return phrases
    .filter(([phrase]) => phrase.test(text))
    .map(([phrase, better]) => `${file}:${line}: “${phrase.exec(text)?.[0]}” in “${text}”: write ${better}`);
}

const readFiles = sourceFiles().filter((file) => ![...unread.keys()].some((each) => each.test(file)));
const wordings = new Map(readFiles.map((file) => [file, wordingsIn(file)]));

test("no text uses an old phrase", () => {
  expect(readFiles.length).toBeGreaterThan(400);
  expect([...wordings.values()].flat().flatMap(problemsOf)).toEqual([]);
});

test.each([
  ["a string", `say("A token never stands in a message.");`],
  ["a template", "say(`Change ${id}: its vote counts`);"],
  ["the middle of a template", "say(`The service ${name} goes for good, with ${count} instances`);"],
  ["a string inside a template", "say(`${isLate ? 'who runs this bot' : ''} now`);"],
  ["a string of an object", "const texts = { a: 'Gantry cannot post here' };"],
])("an old phrase is found in %s", (_where, code) => {
  expect(wordingsIn("bot/views/planted.ts", code).flatMap(problemsOf)).not.toEqual([]);
});

describe("the list of npm run strings is complete", () => {
  test("each source is in a view, or listed as read by nobody", () => {
    expect(readFiles.filter((file) => viewOf(file) === undefined)).toEqual([]);
  });

  test("each view has texts", () => {
    const used = new Set([...wordings].filter(([, texts]) => texts.length > 0).map(([file]) => viewOf(file)));
    expect(views.filter((view) => !used.has(view))).toEqual([]);
  });

  test("it holds sentences, labels and symbols, and neither names, comments nor the log", () => {
    const code = `
      import { a } from "Not a text";
      // A comment in words.
      const op = "updateService";
      log.warn({}, "the log in words");
      if (kind === "Not Compared") say("Approve", \`Restart \${name}?\`, "🟢", "try again");
    `;
    expect(wordingsIn("bot/views/planted.ts", code).map(({ text }) => text)).toEqual([
      "Approve",
      "Restart {name}?",
      "🟢",
      "try again",
    ]);
  });
});
