import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseArgs } from "node:util";
import { explain, explanationLines, questionFromOptions } from "../../../src/bot/policy/explain.ts";
import { policyWarnings, readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { readClusters } from "../../../src/service/engines/kubernetes/config/read-clusters.ts";

// People copy examples out of the docs: each must load, and say what it seems to say.

const root = join(import.meta.dirname, "../../..");
const files = ["README.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const pages = files.filter((file) => file.endsWith(".md"));

type Example = { readonly at: string; readonly text: string };

function blocksOf(language: string): readonly Example[] {
  return pages.flatMap((file) =>
    [...textOf(file).matchAll(new RegExp(`^\`{3}${language}\\n(.*?)^\`{3}`, "gmsu"))].map(
      ({ 1: text = "", index }) => ({
        at: `${file}:${textOf(file).slice(0, index).split("\n").length}`,
        text,
      }),
    ),
  );
}

const yaml = [
  ...blocksOf("ya?ml"),
  ...files.filter((file) => /\.ya?ml$/u.test(file)).map((file) => ({ at: file, text: textOf(file) })),
];
const policies = yaml.filter(({ text }) => /^rules:/mu.test(text) && !/^kind:/mu.test(text));

test.each(yaml)("$at is valid YAML", ({ text }) => {
  expect(parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
});

test.each(policies)(
  "the policy of $at loads without a warning, and none of its sentences loses its end",
  ({ at, text }) => {
    const policy = readPolicy(text, at);

    expect(policyWarnings(policy, { jobsRegion: "us" })).toEqual([]);
    const written = [...text.matchAll(/^ *say: (.*)$/gmu)].map(([, sentence = ""]) =>
      sentence.replaceAll(/^"|"$/gu, ""),
    );
    const read = policy.rules.flatMap(({ end }) => (end.kind === "refuse" ? [end.say] : []));
    expect(read).toEqual(written);
  },
);

type Question = { readonly at: string; readonly policy: string; readonly options: string; readonly answer: string };

/** What pages say that a policy of theirs answers: the one above the question. */
const questions: readonly Question[] = pages.flatMap((page) => {
  let policy = "";
  const blocks = textOf(page).matchAll(/^`{3}(?<language>yaml|text)\n(?<text>.*?)^`{3}/gmsu);
  return [...blocks].flatMap(({ groups: { language = "", text = "" } = {} }) => {
    if (language === "yaml") policy = /^rules:/mu.test(text) ? text : "";
    return [...text.matchAll(/^\$ npm run policy -- explain policy\.yaml (.*)\n(.*)$/gmu)].map(
      ([, options = "", answer = ""]) => ({ at: page, policy, options, answer }),
    );
  });
});

test("pages ask their policies", () => {
  expect(questions.map(({ at }) => at)).toEqual(expect.arrayContaining(["docs/policy.md", "docs/policy-cookbook.md"]));
  expect(questions.filter(({ policy }) => policy === "")).toEqual([]);
});

test.each(questions)("the policy of $at answers as the page says: $options", ({ policy, options, answer }) => {
  const flags = ["as", "in", "op", "does", "name", "region", "image", "instances", "memory", "groups", "standing"];
  const { values } = parseArgs({
    args: options.split(" "),
    options: {
      ...Object.fromEntries(flags.map((flag) => [flag, { type: "string" as const }])),
      "break-glass": { type: "boolean" },
    },
  });

  const lines = explanationLines(explain(readPolicy(policy, "policy.yaml"), questionFromOptions(values)));

  expect(lines.find((line) => /^(?:Yes|No)\b/u.test(line))).toBe(answer);
});

test.each(yaml.filter(({ text }) => /^regions:/mu.test(text)))("the file of clusters of $at loads", ({ text }) => {
  expect(() => readClusters(text, { path: "/etc/gantry/clusters.yaml", users: ["dana"] })).not.toThrow();
});
