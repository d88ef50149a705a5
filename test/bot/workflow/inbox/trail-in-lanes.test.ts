import { stillClock } from "../../../support/test-clock.ts";
import { expect, test } from "vitest";
import { currentTrail, annotate, onTrail, resumed, inSpan, type Trail } from "../../../../src/platform/trail.ts";
import { createLanes, drainLimits } from "../../../../src/bot/workflow/inbox/lanes.ts";

/** A trail that keeps what it hears. */
function recorder(name: string, isBackground = false) {
  const heard: string[] = [];
  const trail: Trail = {
    annotate: (facts) => void heard.push(`note ${JSON.stringify(facts)}`),
    begin(what) {
      heard.push(`begin ${what}`);
      return { trail, end: (ended) => void heard.push(`end ${what}${ended === undefined ? "" : " with an error"}`) };
    },
    hold() {
      heard.push("hold");
      return () => void heard.push("release");
    },
    traceparent: () => name,
    traceId: name,
    isBackground,
    resume(left, work) {
      heard.push(`resume ${left.what} ${left.trace}`);
      return work();
    },
  };
  return { trail, heard };
}

const lanes = () => createLanes({ drain: drainLimits, onError: () => undefined, clock: stillClock() });

test("work that waited in a lane goes on with the trail of who added it, whoever ended before", async () => {
  const { add, idle } = lanes();
  const [dana, alex] = [recorder("dana"), recorder("alex")];
  const gate = Promise.withResolvers<void>();
  const seen: (string | undefined)[] = [];
  const look = async (): Promise<void> => void seen.push(currentTrail()?.traceId);
  // A person has four places: the fifth job begins when one of the others ends.
  for (let nth = 0; nth < 4; nth += 1) {
    onTrail(dana.trail, () => add({ lane: "people", owner: "U1" }, () => gate.promise));
  }
  onTrail(alex.trail, () => add({ lane: "people", owner: "U1" }, look));
  add({ lane: "people", owner: "U1" }, look);
  gate.resolve();
  await idle();

  expect(seen).toEqual(["alex", undefined]);
  expect(alex.heard).toEqual(["hold", "begin wait: people", "end wait: people", "release"]);
});

test("what comes of an interaction doesn't hold up its answer, and is a step of its own", async () => {
  const { add, idle } = lanes();
  const { trail, heard } = recorder("dana");
  onTrail(trail, () => add({ lane: "due" }, async () => annotate({ changeId: "ABC123" })));
  await idle();

  expect(heard).toEqual([
    "begin wait: due",
    "end wait: due",
    "begin work: due",
    'note {"changeId":"ABC123"}',
    "end work: due",
  ]);
});

test("a lane without room says so to the interaction, and holds nothing", async () => {
  const full: string[] = [];
  const { add, hasRoom, idle } = createLanes({
    drain: drainLimits,
    onError: () => undefined,
    clock: stillClock(),
    onFull: (lane) => void full.push(lane),
  });
  const { trail, heard } = recorder("dana");
  const gate = Promise.withResolvers<void>();
  onTrail(trail, () => void add({ lane: "people" }, () => gate.promise));
  const taken: boolean[] = [];
  while (hasRoom({ lane: "people" })) taken.push(add({ lane: "people" }, () => gate.promise));
  onTrail(trail, () => taken.push(add({ lane: "people" }, () => gate.promise)));
  gate.resolve();
  await idle();

  expect(taken.filter((isTaken) => !isTaken)).toHaveLength(1);
  expect(full).toEqual(["people", "people"]);
  expect(heard.filter((each) => each === "hold")).toHaveLength(1);
  expect(heard.filter((each) => each === "release")).toHaveLength(1);
  expect(heard).toContain('note {"outcome":"busy"}');
});

test("a step that fails ends with its error, which goes on", async () => {
  const { trail, heard } = recorder("dana");
  const failing = onTrail(trail, () => inSpan("policy", () => Promise.reject(new Error("no"))));

  await expect(failing).rejects.toThrow("no");
  expect(heard).toEqual(["begin policy", "end policy with an error"]);
});

test("only what nobody's interaction led to is resumed", async () => {
  const left = { what: "delivery", trace: "00-a-b-01" } as const; // a literal kind
  const [sweep, dana] = [recorder("sweep", true), recorder("dana")];
  const work = (): Promise<string> => Promise.resolve("done");

  expect(await onTrail(sweep.trail, () => resumed(() => left, work))).toBe("done");
  expect(await onTrail(dana.trail, () => resumed(() => left, work))).toBe("done");
  expect(await resumed(() => left, work)).toBe("done");
  expect(sweep.heard).toEqual(["resume delivery 00-a-b-01"]);
  expect(dana.heard).toEqual([]);
});
