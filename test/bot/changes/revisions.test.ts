import { expect, test } from "vitest";
import type { Service } from "../../../src/api/answers.ts";
import type { Change } from "../../../src/bot/changes/change.ts";
import {
  backAtRun,
  backFrom,
  earlierVersion,
  isNow,
  judgedRevisions,
  lastGood,
} from "../../../src/bot/changes/revisions.ts";
import { takenBack } from "../../../src/bot/commands/verbs/deploy/versions.ts";
import { ended, run } from "../views/support/stored-changes.ts";
import { service } from "../views/support/workloads.ts";

const kept = (now: number, outcomes: Readonly<Record<number, string>>) =>
  Array.from({ length: now }, (_, at) => now - at).map((revision) => ({
    revision,
    images: [`shop/web:1.${revision}`],
    ...(outcomes[revision] !== undefined && { outcome: outcomes[revision] }),
  }));

const web = (more: Partial<Service>) =>
  service("web", { uid: "u1", revision: 3, revisions: kept(3, { 1: "done", 2: "aborted" }), ...more });
const rolling = { state: "progressing", from: 2, to: 3 };
const toOne = { revision: 1, images: ["shop/web:1.1"] };
const toTwo = { revision: 2, images: ["shop/web:1.2"] };

test.each<[string, Partial<Service>, Change["backTo"]]>([
  ["the version that runs, where no rollout is open", {}, undefined],
  ["the last one that was ready, while one is rolled out over one that wasn't", { rollout: rolling }, toOne],
  ["what still serves, while another is rolled out", { rollout: { ...rolling, from: 1 } }, toOne],
  [
    "the version that runs, while its instances are replaced by others of the same",
    { rollout: { ...rolling, from: 3 }, revisions: kept(3, { 3: "done" }) },
    { revision: 3, images: ["shop/web:1.3"] },
  ],
  [
    "nowhere, where none was ever ready",
    { rollout: rolling, revisions: kept(3, { 1: "aborted", 2: "aborted" }) },
    "nowhere",
  ],
  [
    "nowhere, where the first version isn't ready yet",
    { rollout: { state: "progressing", to: 3 }, revisions: kept(3, {}).slice(0, 1) },
    "nowhere",
  ],
])("a way back leads to %s", (_what, more, to) => {
  const now = web(more);

  expect(backFrom(now, judgedRevisions(now, []))).toEqual(to);
});

test.each<[string, Change["backTo"], Partial<Service>, Change["backTo"]]>([
  ["is the version that runs by then", toOne, {}, undefined],
  [
    "is the last one ready by then, not the one at the request",
    toOne,
    { rollout: rolling, revisions: kept(3, { 1: "done", 2: "done" }) },
    toTwo,
  ],
  [
    "is the one that requests told of, where the workload API tells nothing",
    toOne,
    { rollout: rolling, revisions: kept(3, { 2: "aborted" }) },
    toOne,
  ],
  [
    "is nowhere once that one isn't kept",
    toOne,
    { rollout: rolling, revisions: kept(3, { 2: "aborted" }).slice(0, 2) },
    "nowhere",
  ],
  ["stays nowhere where the card said so", "nowhere", {}, "nowhere"],
])("right before a deploy is sent, where it would go back to %s", (_what, then, more, to) => {
  expect(backAtRun({ backTo: then }, web(more))).toEqual(to);
});

test("a change that leads nowhere back has no earlier version, whatever ran before", () => {
  const before = { uid: "u1", status: "Running", revision: 2, images: ["shop/web:1.2"] };

  expect(earlierVersion({ backTo: "nowhere", before })).toBeUndefined();
  expect(earlierVersion({ backTo: undefined, before })).toEqual(toTwo);
  expect(earlierVersion({ backTo: toOne, before })).toEqual(toOne);
});

type Made = Partial<ReturnType<typeof ended>> & { readonly to: number; readonly over: number };

function made(id: string, { to, over, ...more }: Made) {
  const after = { uid: "u1", status: "Running", revision: to, images: [`shop/web:1.${to}`] };
  const ending = run({ kind: "done", after, alsoMoved: [], over: { revision: over, isReady: true } });
  return ended("done", { id, verb: "deploy", diff: [`image a → 1.${to}`], risk: "disruptive", ending, ...more });
}

const back = { verb: "rollback", risk: "routine" } as const; // literals
const others = { requester: { userId: "U0OMAR", name: "Omar Haddad" } };
const standings = (now: Service, requests: Parameters<typeof judgedRevisions>[1]) =>
  judgedRevisions(now, requests).map(({ revision, standing }) => `${revision} ${standing}`);
const allDone = (now: number) =>
  web({ revision: now, revisions: kept(now, { 1: "done", 2: "done", 3: "done", 4: "done" }) });

test.each<[string, Parameters<typeof made>, readonly string[]]>([
  [
    "everything that a rollback skipped",
    // A request of an older version of Gantry, which said revision.
    ["BACK", { ...back, to: 4, over: 3, diff: ["back to revision 1, with its environment variables"] }],
    ["4 ready", "3 left", "2 left", "1 ready"],
  ],
  [
    "nothing that a deploy of an old version replaced",
    [
      "AGAIN",
      {
        verb: "rollback",
        to: 4,
        over: 3,
        diff: ["to version 1, which never got ready, with its environment variables"],
      },
    ],
    ["4 ready", "3 ready", "2 ready", "1 ready"],
  ],
  [
    "what an automatic way back skipped",
    ["BACK", { ...back, to: 4, over: 3, diff: ["back to version 1 automatically: the new instances don't get ready"] }],
    ["4 ready", "3 left", "2 left", "1 ready"],
  ],
  [
    "nothing by another size",
    ["SCALE", { verb: "scale", risk: "routine", to: 4, over: 4, diff: ["instances 2 → 3"] }],
    ["4 ready", "3 ready", "2 ready", "1 ready"],
  ],
])("left is %s", (_what, [id, request], all) => {
  expect(standings(allDone(4), [made(id, request)])).toEqual(all);
});

test("a revision was left by whoever went back from it first, not by who skipped it later", () => {
  const requests = [
    made("SKIP", { ...back, to: 5, over: 4, diff: ["back to version 1, with its environment variables"] }),
    made("LEAVE", { ...others, ...back, to: 4, over: 3, diff: ["back to version 2, with its environment variables"] }),
  ];
  const judged = judgedRevisions(web({ revision: 5, revisions: kept(5, {}) }), requests);

  expect(judged.map(({ revision, leftBy }) => `${revision} ${leftBy?.id}`)).toEqual([
    "5 undefined",
    "4 SKIP",
    "3 LEAVE",
    "2 SKIP",
    "1 undefined",
  ]);
});

test("where somebody went back without Gantry, what is in between was left, and what runs wasn't", () => {
  const { revisions = [], ...now } = allDone(4);
  const copied = revisions.map((each) => (each.revision % 2 === 0 ? { ...each, is_current: true } : each));

  expect(standings({ ...now, revisions: copied }, [])).toEqual(["4 ready", "3 left", "2 ready", "1 ready"]);
});

test("a rollback of an older version of Gantry left the revision before the one it made", () => {
  const after = { uid: "u1", status: "Running", revision: 4, images: ["shop/web:1.4"] };
  const request = ended("done", {
    id: "OLDER",
    ...back,
    diff: [],
    ending: run({ kind: "done", after, alsoMoved: [] }),
  });

  expect(standings(allDone(4), [request])).toEqual(["4 ready", "3 left", "2 ready", "1 ready"]);
});

test("a revision that the next request found, but not ready, isn't known to have been", () => {
  const request = made("NEXT", { to: 3, over: 2 });
  const ending = request.ending?.kind === "run" && request.ending.outcome.kind === "done" ? request.ending : undefined;
  const unready = ending && { ...ending, outcome: { ...ending.outcome, over: { revision: 2, isReady: false } } };
  const now = web({ revisions: kept(3, {}) });

  expect(standings(now, [{ ...request, ending: unready }])).toEqual(["3 unknown", "2 unknown", "1 unknown"]);
});

test("a revision whose instances still serve while the next one is rolled out was ready, and no other", () => {
  const serving = (ready: number) => web({ revisions: kept(3, {}), rollout: { ...rolling, old_ready: ready } });

  expect(standings(serving(1), [])).toEqual(["3 unknown", "2 ready", "1 unknown"]);
  expect(standings(serving(0), [])).toEqual(["3 unknown", "2 unknown", "1 unknown"]);
});

const image = (revision: number, ...images: readonly string[]) => ({ revision, images, outcome: "done" });

test.each([
  ["has another image, before one with other variables", [image(2, "shop/web:1.3"), image(1, "shop/web:1.1")], 1],
  ["is the newest, where all have this image", [image(2, "shop/web:1.3"), image(1, "shop/web:1.3")], 2],
  ["has another image, and not one that isn't known", [image(2, "shop/web:1.3"), { revision: 1, outcome: "done" }], 2],
  [
    "has another image, also of what starts before the others",
    [image(2, "shop/web:1.3", "shop/migrate:2"), image(1, "shop/web:1.3", "shop/migrate:1")],
    1,
    "shop/migrate:2",
  ],
])("a bare rollback means a version that %s", (_what, earlier, to, migrate?: string) => {
  const now = web({
    containers: [{ name: "web", image: "shop/web:1.3" }],
    ...(migrate !== undefined && { init_containers: [{ name: "migrate", image: migrate }] }),
    revisions: [image(3, "shop/web:1.3"), ...earlier],
  });

  expect(lastGood(now, judgedRevisions(now, []))?.revision).toBe(to);
});

test.each<[string, readonly Parameters<typeof made>[], readonly number[]]>([
  ["what a request went back to", [["BACK", { ...back, to: 4, over: 3, diff: ["back to version 2, with"] }]], [2]],
  [
    "also what that was a copy of",
    [
      ["AGAIN", { ...back, to: 4, over: 3, diff: ["back to version 2, with"] }],
      ["FIRST", { ...back, to: 2, over: 3, diff: ["back to version 1, with"] }],
    ],
    [2, 1],
  ],
  [
    "not where a deploy only goes back to if it doesn't get ready",
    [["DEPLOY", { to: 4, over: 3, diff: ["back to version 2 automatically if the new instances don't get ready"] }]],
    [],
  ],
  [
    "each once, where requests name each other",
    [
      ["THERE", { ...back, to: 4, over: 3, diff: ["back to version 2, with"] }],
      ["BACK", { ...back, to: 2, over: 3, diff: ["back to version 4, with"] }],
    ],
    [2],
  ],
])("what runs is a copy of %s", (_what, requests, copies) => {
  const judged = judgedRevisions(
    allDone(4),
    requests.map(([id, request]) => made(id, request)),
  );

  expect(
    judged.filter((each) => each.revision !== 4 && isNow(each, allDone(4))).map(({ revision }) => revision),
  ).toEqual(copies);
});

type Author = readonly [string, Partial<Made>, string];

test.each<Author>([
  ["a memory limit", { verb: "memory", diff: ["memory 256 MiB → 512 MiB"] }, "Omar Haddad: memory 256 MiB to 512 MiB"],
  [
    "a restart",
    { verb: "restart", op: "restartService", diff: ["restarts all 3 instances"] },
    "Omar Haddad: restarts all 3 instances",
  ],
  [
    "a deploy that isn't visible yet",
    {
      ending: run({
        kind: "asked",
        after: { uid: "u1", status: "Updating", revision: 4, images: ["shop/web:1.4"] },
        why: "",
      }),
    },
    "Omar Haddad: image a to 1.4",
  ],
  ["a memory limit that found the revision there already", { verb: "memory", over: 4 }, "somebody unknown"],
])("what is taken back has its author, where a revision of Kubernetes is %s", (_what, later, by) => {
  const request = made("LATER", { ...others, to: 4, over: 3, ...later });
  const judged = judgedRevisions(allDone(4), [request, made("DEPLOY", { to: 3, over: 2 })]);

  expect(takenBack(judged, { to: toTwo, userId: "U0DANA", undoes: "DEPLOY" })).toEqual({
    lines: [`also takes back version 4 by ${by}`],
    isOfOthers: true,
  });
});

test.each([
  [6, []],
  [7, ["also takes back 1 earlier one"]],
  [8, ["also takes back 2 earlier ones"]],
])("of many changes since, the newest five are listed, and how many more there are: revision %i", (newest, more) => {
  const all = web({ revision: newest, revisions: kept(newest, { 1: "done" }) });

  const { lines } = takenBack(judgedRevisions(all, []), { to: toOne, userId: "U0DANA", undoes: undefined });

  expect(lines).toEqual([
    ...Array.from({ length: 5 }, (_, at) => `also takes back version ${newest - at} by somebody unknown`),
    ...more,
  ]);
});

test("what was taken back already, and going back itself, is not among it", () => {
  const now = web({ revision: 5, revisions: kept(5, { 1: "done", 2: "done", 3: "done", 4: "done", 5: "done" }) });
  const requests = [
    made("NEWEST", { to: 5, over: 4 }),
    made("BACK", { ...others, ...back, to: 4, over: 3, diff: ["back to version 2, with its environment variables"] }),
    made("BROKEN", { ...others, to: 3, over: 2 }),
  ];

  expect(takenBack(judgedRevisions(now, requests), { to: toTwo, userId: "U0DANA", undoes: undefined })).toEqual({
    lines: [],
    isOfOthers: false,
  });
});

test("nobody is asked about a version of others that failed, but reads that it goes, too", () => {
  const now = allDone(4);
  const requests = [
    made("NEWEST", { to: 4, over: 3 }),
    made("FAILED", { ...others, to: 3, over: 2, health: { kind: "trouble", line: "", excerpt: [] } }),
    made("OWN", { to: 2, over: 1 }),
  ];

  expect(takenBack(judgedRevisions(now, requests), { to: toOne, userId: "U0DANA", undoes: undefined })).toMatchObject({
    lines: [expect.any(String), "also takes back version 3 by Omar Haddad: image a to 1.3", expect.any(String)],
    isOfOthers: false,
  });
});
