import { expect, test } from "vitest";
import { nextSteps, type PresentInstance } from "../../../../src/service/workloads/services/present-instances.ts";

/**
 * `0 ready`, `1 waiting` …: the index and the state. With `*` for one that was started from an older definition, `**` for
 * one from before that, and `~` for one whose memory is being changed.
 */
function instances(...texts: string[]): (PresentInstance & { readonly text: string })[] {
  return texts.map((text) => {
    const [index = "", word = ""] = text.split(" ");
    const outdated = word.split("*").length - 1;
    return {
      text,
      index: Number(index),
      generation: 2 - outdated,
      isCurrent: outdated === 0,
      isResizing: word.includes("~"),
      state: word.replace(/[*~]/g, "") as PresentInstance["state"], // the tables below hold only these words
    };
  });
}

type Expected = {
  readonly start?: number[];
  readonly stop?: string[];
  readonly replace?: string[];
  readonly isReplaced?: true;
  readonly done?: true;
};

const over = { isReplaced: true, done: true } as const;

const table: readonly [string, number, string[], Expected][] = [
  ["missing instances are started", 2, [], { start: [0, 1] }],
  ["instances beyond the size are stopped", 1, ["0 ready", "1 ready"], { stop: ["1 ready"], isReplaced: true }],
  ["one that is stopping is not stopped again", 0, ["0 stopping"], { isReplaced: true }],
  ["one that is stopping is not started beside itself", 1, ["0 stopping"], {}],
  ["only the difference is started", 3, ["0 ready", "1 ready"], { start: [2] }],
  ["nothing is left to do when all are ready", 2, ["0 ready", "1 ready"], over],
  ["it is not done while one starts", 1, ["0 waiting"], {}],
  ["it is not done while the memory of one is changed", 1, ["0 ready~"], {}],
  ["of a few, old ones are replaced one at a time", 3, ["0 ready*", "1 ready*", "2 ready*"], { replace: ["0 ready*"] }],
  ["an old one stays until the new one is ready", 2, ["0 ready*", "0 waiting", "1 ready*"], {}],
  [
    "an old one is stopped when the new one is ready",
    1,
    ["0 ready*", "0 ready"],
    { stop: ["0 ready*"], isReplaced: true },
  ],
  ["the next waits until the new one is ready", 2, ["0 waiting", "1 ready*"], {}],
  ["the next follows when the new one is ready", 2, ["0 ready", "1 ready*"], { replace: ["1 ready*"] }],
  [
    "the next follows when an old one is stopped",
    2,
    ["0 ready", "0 ready*", "1 ready*"],
    { stop: ["0 ready*"], replace: ["1 ready*"] },
  ],
  ["the next follows while an old one ends", 2, ["0 ready", "0 stopping*", "1 ready*"], { replace: ["1 ready*"] }],
  ["the next waits while two old ones end", 3, ["0 ready", "0 stopping*", "1 ready", "1 stopping*", "2 ready*"], {}],
  ["the next waits while one ends that has no successor", 2, ["0 stopping*", "1 ready*"], {}],
  ["all are replaced while an old one ends, but it is not done", 1, ["0 ready", "0 stopping*"], { isReplaced: true }],
  ["not all are replaced while an old one waits", 2, ["0 ready", "1 ready*", "1 waiting"], {}],
  ["the next waits while the memory of one is changed", 2, ["0 ready~", "1 ready*"], {}],
  ["an old one that fails goes first", 2, ["0 ready*", "1 failing*"], { replace: ["1 failing*"] }],
  ["an old one that fails doesn't wait for the new one", 1, ["0 failing*", "0 waiting"], { stop: ["0 failing*"] }],
  ["a new one that fails holds the roll", 2, ["0 failing", "1 ready*"], {}],
  ["a new one that fails leaves the old one alone", 1, ["0 ready*", "0 failing"], {}],
  [
    "a replacement that is outdated is given up, not the old one",
    1,
    ["0 ready**", "0 waiting*"],
    { stop: ["0 waiting*"] },
  ],
  [
    "a replacement that is outdated but ready takes its place",
    1,
    ["0 waiting**", "0 ready*"],
    { stop: ["0 waiting**"] },
  ],
  [
    "both of a pair beyond the size are stopped",
    0,
    ["0 ready*", "0 waiting"],
    { stop: ["0 ready*", "0 waiting"], isReplaced: true },
  ],
  ["a missing one goes before a replacement", 2, ["0 ready*"], { start: [1] }],
  ["a service of size 0 is reached at once", 0, [], over],
  ["a quarter is replaced at once", 8, eight("ready*"), { replace: ["0 ready*", "1 ready*"] }],
  ["of seven a quarter is one", 7, eight("ready*").slice(0, 7), { replace: ["0 ready*"] }],
  [
    "the next follows when one of several is ready",
    8,
    eight("ready*", "0 ready", "1 ready*", "1 waiting"),
    { replace: ["2 ready*"] },
  ],
  ["no more than a quarter is on its way", 8, eight("ready*", "0 ready*", "0 waiting", "1 stopping*"), {}],
  ["one that crashed takes the place of one", 8, eight("ready*", "7 waiting"), { replace: ["0 ready*"] }],
  ["a missing one takes the place of one", 8, eight("ready*").slice(0, 7), { start: [7], replace: ["0 ready*"] }],
  ["one of several that fails holds all", 8, eight("ready*", "0 ready", "1 ready*", "1 failing"), {}],
  ["broken ones of several go first", 8, eight("ready*", "6 failing*"), { replace: ["6 failing*", "0 ready*"] }],
];

/** Eight instances in this state, except those of an index that is given. */
function eight(state: string, ...others: string[]): string[] {
  const given = new Set(others.map((text) => text.split(" ")[0]));
  const rest = Array.from({ length: 8 }, (_, index) => `${index} ${state}`);
  return [...others, ...rest.filter((text) => !given.has(text.split(" ")[0]))];
}

test.each(table)("%s", (...[, size, states, expected]) => {
  const { stop, replace, ...steps } = nextSteps(size, instances(...states));

  expect({ ...steps, stop: stop.map(({ text }) => text), replace: replace.map(({ text }) => text) }).toEqual({
    start: [],
    stop: [],
    replace: [],
    isReplaced: false,
    done: false,
    ...expected,
  });
});
