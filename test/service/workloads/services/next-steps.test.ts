import { expect, test } from "vitest";
import { nextSteps, type PresentInstance, type Steps } from "../../../../src/service/workloads/services/next-steps.ts";

/** `ready`, `waiting` …, with `*` for one that was started from an older definition. */
function instances(...states: string[]): PresentInstance[] {
  return states.map((text, index) => ({
    index,
    isCurrent: !text.endsWith("*"),
    state: text.replace("*", "") as PresentInstance["state"], // the tables below hold only these words
  }));
}

const table: readonly [string, number, string[], Steps][] = [
  ["missing instances are started", 2, [], { start: [0, 1], stop: [], done: false }],
  ["instances beyond the size are stopped", 1, ["ready", "ready"], { start: [], stop: [1], done: false }],
  ["one that is stopping is not stopped again", 0, ["stopping"], { start: [], stop: [], done: false }],
  ["only the difference is started", 3, ["ready", "ready"], { start: [2], stop: [], done: false }],
  ["nothing is left to do when all are ready", 2, ["ready", "ready"], { start: [], stop: [], done: true }],
  ["it is not done while one starts", 1, ["waiting"], { start: [], stop: [], done: false }],
  ["old ones are replaced one at a time", 3, ["ready*", "ready*", "ready*"], { start: [], stop: [0], done: false }],
  ["the next waits until the new one is ready", 2, ["waiting", "ready*"], { start: [], stop: [], done: false }],
  ["the next follows when the new one is ready", 2, ["ready", "ready*"], { start: [], stop: [1], done: false }],
  ["the next waits while an old one ends", 2, ["stopping*", "ready*"], { start: [], stop: [], done: false }],
  ["an old one that fails goes first", 2, ["ready*", "failing*"], { start: [], stop: [1], done: false }],
  ["a new one that fails holds the roll", 2, ["failing", "ready*"], { start: [], stop: [], done: false }],
  ["a service of size 0 is reached at once", 0, [], { start: [], stop: [], done: true }],
];

test.each(table)("%s", (...[, size, states, expected]) => {
  expect(nextSteps(size, instances(...states))).toEqual(expected);
});
