import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

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
  [/\b(?:cannot|could not|did not|does not|is not|are not|was not)\b/iu, "the contraction"],
  [/\bnothing was (?:done|asked|sent again)\b/iu, '"Nothing was changed"'],
  [/\bwith which\b|\bto be (?:given|said|told)\b/iu, "a short active sentence"],
  [/\borganisation/iu, '"organization"'],
];

/** The sources whose texts are checked. */
const checked = [
  "src/accounts/**/*.ts",
  "src/api/**/*.ts",
  "src/bin/{bot,manifest,policy,service}.ts",
  "src/boot/**/*.ts",
  "src/commands/verbs/{can-i,help,use,whoami}/*.ts",
  "src/commands/verbs/{account-links,decisions}.ts",
  "src/policy/**/*.ts",
  "src/service/**/*.ts",
  "src/slack/{directory,send}/**/*.ts",
  "src/views/messages/{account-message,error-messages,policy-text,refusal-message,sentences,with-command}.ts",
  "src/workflow/{access,inbox}/**/*.ts",
  "src/workflow/{bind,link}.ts",
];
const notForPeople = ["src/api/schema.ts"];

type Text = { readonly line: number; readonly text: string };

/** The string literals and templates of a source that hold more than one word. Imports and comments aren't texts. */
function textsOf(source: string): Text[] {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true);
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const text = textOf(node);
    if (text !== undefined && /\S\s+\S/u.test(text)) {
      texts.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return texts;
}

/** A value in a template becomes `${}`; its own strings are visited as other nodes. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("${}");
}

function problemsIn(name: string, source: string): string[] {
  return textsOf(source).flatMap(({ line, text }) =>
    forbidden
      .filter(([phrase]) => phrase.test(text))
      .map(([phrase, better]) => `${name}:${line}: “${phrase.exec(text)?.[0]}” in “${text}”: write ${better}`),
  );
}

test("Gantry's texts use none of the old phrases", () => {
  const files = globSync(checked, { cwd: root }).filter((name) => !notForPeople.includes(name));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((name) => problemsIn(name, readFileSync(join(root, name), "utf8")))).toEqual([]);
});

test.each([
  ["a string", `say("A token never stands in a message.");`],
  ["a template", "say(`Change ${id}: its vote counts`);"],
  ["the middle of a template", "say(`The service ${name} goes for good, with ${count} instances`);"],
  ["a string inside a template", "say(`${isLate ? 'who runs this bot' : ''} now`);"],
  ["a string of an object", "const texts = { a: 'Gantry cannot post here' };"],
])("the check finds an old phrase in %s", (_where, source) => {
  expect(problemsIn("planted.ts", source)).not.toEqual([]);
});

test("the check ignores comments, names and single words", () => {
  expect(problemsIn("fine.ts", "// what is told anew\nconst votes = { votes: 1, key: 'votes' };")).toEqual([]);
});
