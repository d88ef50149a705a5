import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";
import type { World, WorldOptions } from "../../support/world.ts";

type Slow = {
  readonly town: World;
  /** A second passes for everybody who waits. */
  readonly aSecondPasses: () => void;
  /** The workload API answers what waits, and what comes later at once. */
  readonly answers: () => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A town whose workload API doesn't answer these requests for a while. */
async function slowTown(
  isSlow: (request: Request) => boolean,
  options: Pick<WorldOptions, "policy"> = {},
): Promise<Slow> {
  const second = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  let isOn = false;
  const town = await approvalTown({
    ...options,
    patience(_, show) {
      let isWanted = true;
      void second.promise.then(() => isWanted && show());
      return { cancel: () => void (isWanted = false) };
    },
    async via(request, send) {
      if (isOn && isSlow(request)) await answer.promise;
      return send(request);
    },
  });
  isOn = true;
  return {
    town,
    aSecondPasses: second.resolve,
    answers: answer.resolve,
    async [Symbol.asyncDispose]() {
      answer.resolve();
      await town.close();
    },
  };
}

const all = () => true;
const working = /Working on it\. The answer follows here/u;

test("a slow command is answered within a second that it is being worked on, and then by its answer", async () => {
  await using slow = await slowTown(all);
  const { town, aSecondPasses, answers } = slow;
  const { developer } = town;
  await developer.says("/gantry show web");
  await town.until(() => town.calls().length > 0);
  expect(whispers(developer)).toEqual([]);

  aSecondPasses();
  await town.until(() => whispers(developer).length > 0);
  answers();
  await town.settled();

  expect(whispers(developer)).toEqual([expect.stringMatching(working), expect.stringMatching(/web · running/u)]);
});

test("in a thread, the answer takes the place of the message that says so", async () => {
  await using slow = await slowTown(all);
  const { town, aSecondPasses, answers } = slow;
  const { developer } = town;
  const { ts = "" } = await developer.says("@gantry show web");
  const replies = (): readonly string[] =>
    developer.sees("ops").flatMap(({ text, threadTs, ts: own }) => (threadTs === ts && own !== ts ? [text] : []));
  await town.until(() => town.calls().length > 0);

  aSecondPasses();
  await town.until(() => replies().length > 0);
  const [first = ""] = replies();
  answers();
  await town.settled();

  expect(first).toMatch(working);
  expect(replies()).toEqual([expect.stringMatching(/web · running/u)]);
});

test("a change whose workload is read slowly is signed within a second, and its card is all that is public", async () => {
  await using slow = await slowTown((request) => request.method === "GET", { policy: openPolicy });
  const { town, aSecondPasses, answers } = slow;
  const { developer, playground } = town;
  await developer.says("/gantry restart web");
  await town.until(() => town.calls().length > 0);

  aSecondPasses();
  await town.until(() => whispers(developer).length > 0);
  expect(playground.messages("ops")).toEqual([]);
  answers();
  await town.settled();

  expect(whispers(developer)).toEqual([expect.stringMatching(working)]);
  expect(playground.messages("ops")).toHaveLength(1);
  expect(card(developer)).toMatch(/web restarted/u);
});

test("while a change is being sent, its card says so after a second, and becomes the outcome", async () => {
  await using slow = await slowTown((request) => request.method === "PUT", { policy: openPolicy });
  const { town, aSecondPasses, answers } = slow;
  const { developer, playground } = town;
  await developer.says("/gantry scale web 3");
  await town.until(() => town.calls().includes("updateService"));

  aSecondPasses();
  await town.until(() => card(developer).startsWith("🔄 Scaling web to 3…"));
  answers();
  await town.settled();

  expect(whispers(developer)).toEqual([]);
  expect(playground.messages("ops")).toHaveLength(1);
  expect(card(developer)).toMatch(/^(?:✅|🟡) web scaled to 3/u);
  expect(count(town, "updateService")).toBe(1);
});

test("what is answered in time shows nothing else, however late it gets", async () => {
  await using slow = await slowTown(() => false);
  const { town, aSecondPasses } = slow;
  const { developer, approver } = town;
  const before = (): number => town.playground.transcript().length;
  await says(town, developer, "/gantry show web");
  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");
  const calls = before();

  aSecondPasses();
  await town.settled();

  expect(before()).toBe(calls);
  expect([...whispers(developer), ...whispers(approver)].join("\n")).not.toMatch(working);
});
