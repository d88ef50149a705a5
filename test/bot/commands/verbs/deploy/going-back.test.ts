import { describe, expect, test } from "vitest";
import type { Service } from "../../../../../src/api/answers.ts";
import type { HistoryEvent } from "../../../../../src/bot/changes/history-event.ts";
import type { Health, StoredChange } from "../../../../../src/bot/changes/stored-change.ts";
import type { Snapshot } from "../../../../../src/bot/changes/updatable-fields.ts";
import { aboutChange } from "../../../../../src/bot/commands/lookup/authorize.ts";
import { rollback } from "../../../../../src/bot/commands/verbs/deploy/rollback.ts";
import { UserError } from "../../../../../src/bot/errors.ts";
import { phraseText } from "../../../../../src/bot/views/cards/phrases.ts";
import { ended, event, run } from "../../../views/support/stored-changes.ts";
import { service } from "../../../views/support/workloads.ts";
import { ableEngine, scripted } from "../../support/script.ts";

const workload = { kind: "service", region: "beijing1", name: "web", uid: "u1" } as const; // a literal kind
const omar = { userId: "U0OMAR", name: "Omar Haddad" };

/** The ways to ask for going back: what is clicked or typed comes to these. `DEPLOY` is the request for revision 3. */
const ways = {
  "`rollback web`": {},
  "`rollback web 2`": { revision: "2" },
  "the button Roll back to 2": { revision: "2", isLed: true },
  "Undo of the deploy": { revision: "2", isLed: true, undoes: "DEPLOY" },
} as const; // the keys are the rows

type Made = Partial<StoredChange> & {
  readonly to: number;
  readonly over?: { readonly revision: number; readonly isReady: boolean };
};

/** A request that made a revision. */
function made(id: string, { to, over, ...more }: Made): HistoryEvent {
  const after = { uid: "u1", status: "Running", revision: to, images: [`shop/web:1.${to}`] } as Snapshot; // what was read back
  const ending = run({ kind: "done", after, alsoMoved: [], ...(over && { over }) });
  const request = ended("done", {
    id,
    verb: "deploy",
    workload,
    diff: [`image a → shop/web:1.${to}`],
    ending,
    ...more,
  });
  return { ...event("done", { workload, verb: request.verb, request, changeId: id }), account: "dana" };
}

const trouble: Health = { kind: "trouble", level: "failing", line: "", excerpt: [] };
const well: Health = { kind: "reached", level: "healthy", line: "", excerpt: [] };
const deployed = made("DEPLOY", { to: 3, over: { revision: 2, isReady: true } });
const back = { verb: "rollback", risk: "routine" } as const; // literals

type State = {
  readonly now?: number;
  readonly outcomes?: Readonly<Record<number, string>>;
  readonly web?: Partial<Service>;
  readonly events?: readonly HistoryEvent[];
};

/** What came in between. Revision 3 runs, over 2 and 1, which were ready. */
const states: Readonly<Record<string, State>> = {
  "nothing in between": {},
  "2 never got ready, says the workload API": { outcomes: { 1: "done", 2: "aborted" } },
  "2 never got ready, says its request": {
    events: [deployed, made("BROKEN", { to: 2, health: trouble })],
  },
  "2 doesn't get ready, and is still looked at": {
    events: [deployed, made("BROKEN", { to: 2, progress: trouble })],
  },
  "2 got healthy late, so its way back wasn't run": {
    outcomes: { 1: "done" },
    events: [
      made("DEPLOY", { to: 3 }),
      made("LATE", { to: 2, health: trouble, wayBackEnd: { isNeeded: false, why: "" } }),
    ],
  },
  "somebody just went back from 2": {
    events: [
      deployed,
      made("GOBACK", {
        ...back,
        to: 1,
        over: { revision: 2, isReady: true },
        diff: ["back to version 1, with its environment variables"],
        requester: omar,
      }),
    ],
  },
  "nothing is known": { outcomes: {}, events: [] },
  "the next request found 2 ready": { outcomes: {}, events: [deployed] },
  "the asker changed variables since": {
    now: 4,
    events: [
      made("ENV", { to: 4, verb: "env", diff: ["changes LEVEL"], over: { revision: 3, isReady: true } }),
      deployed,
    ],
  },
  "Omar changed variables since": {
    now: 4,
    events: [
      made("ENV", {
        to: 4,
        verb: "env",
        diff: ["changes LEVEL"],
        requester: omar,
        over: { revision: 3, isReady: true },
      }),
      deployed,
    ],
  },
  "somebody changed the template since, with kubectl": { now: 4, events: [deployed] },
  "went back from 3 by Gantry": {
    now: 4,
    events: [
      made("GOBACK", {
        ...back,
        to: 4,
        over: { revision: 3, isReady: true },
        diff: ["back to version 2, with its environment variables"],
        requester: omar,
      }),
      deployed,
    ],
  },
  "went back from 3 without Gantry": {
    now: 4,
    web: { revisions: revisions(4, { 1: "done", 2: "done", 3: "done" }, [2]) },
  },
  "a deploy replaced 3 by 1, which never got ready": {
    now: 4,
    outcomes: { 1: "aborted", 2: "done", 3: "done" },
    events: [
      made("AGAIN", {
        to: 4,
        verb: "rollback",
        over: { revision: 3, isReady: true },
        diff: ["to version 1, which never got ready, with its environment variables"],
      }),
    ],
  },
  "went back from 3, and that is stuck": {
    now: 4,
    web: { rollout: { state: "stuck", from: 3, to: 4 } },
    events: [
      made("GOBACK", {
        ...back,
        to: 4,
        over: { revision: 3, isReady: true },
        diff: ["back to version 2, with its environment variables"],
      }),
    ],
  },
  "3 is stuck": { outcomes: { 1: "done", 2: "done" }, web: { rollout: { state: "stuck", from: 2, to: 3 } } },
  "3 is stuck over 2 that never got ready": {
    outcomes: { 1: "done", 2: "aborted" },
    web: { rollout: { state: "stuck", from: 2, to: 3 } },
  },
  "3 is stuck, and 2 still serves": {
    outcomes: {},
    web: { rollout: { state: "stuck", from: 2, to: 3, old_ready: 1 } },
  },
};

function revisions(now: number, outcomes: Readonly<Record<number, string>>, current: readonly number[] = []) {
  return Array.from({ length: now }, (_, at) => now - at).map((revision) => ({
    revision,
    images: [`shop/web:1.${revision}`],
    ...(outcomes[revision] !== undefined && { outcome: outcomes[revision] }),
    ...(current.includes(revision) && { is_current: true }),
  }));
}

/** Where it leads, and what it is: `2`, `2 as a deploy`, `2, asks`; or why it doesn't. */
async function leads(
  way: keyof typeof ways,
  { now = 3, outcomes = { 1: "done", 2: "done", 3: "done" }, web, events = [deployed] }: State,
) {
  const kept = revisions(now, outcomes);
  const existing = service("web", {
    uid: "u1",
    containers: [{ name: "web", image: `shop/web:1.${now}` }],
    revision: now,
    revisions: kept,
    ...web,
  });
  const { context } = scripted({ services: [existing], engine: ableEngine, events });
  const ask = { verb: "rollback", share: false, args: { name: "service/web", ...ways[way] } };
  try {
    const { ofOthers = [], ...change } = await rollback.propose(ask, context);
    if (change.call.op !== "updateService") return "not an update";
    const { risk } = aboutChange(change);
    const title = phraseText(
      { op: "updateService", verb: "rollback", workload: change.workload, diff: change.diff },
      "title",
    );
    const also = change.diff.filter((line) => line.startsWith("also takes back"));
    const isBacked = change.diff.some((line) => / automatically if /u.test(line));
    const as = [risk, ...(change.isDeploy === true ? ["deploy"] : []), ...(isBacked ? ["with a way back"] : [])].join(
      " ",
    );
    return [`${title}: ${as}`, ...also, ...(ofOthers.length > 0 ? ["asks first"] : [])].join(" | ");
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const offered = error.suggestions.map(
      ({ label, ask: { args } }) => ` [${label}${args["isLed"] === true ? "" : ", unled"}]`,
    );
    return `${error.message} ${error.next}${offered.join("")}`.replace("Nothing was changed. ", "");
  }
}

describe.each(Object.entries(states))("going back where %s", (_state, state) => {
  test("leads to the last good version, asks, or says why it doesn't", async () => {
    const rows = await Promise.all(
      (Object.keys(ways) as (keyof typeof ways)[]).map(async (way) => `${way}: ${await leads(way, state)}`), // its own keys
    );
    expect(rows.join("\n")).toMatchSnapshot();
  });
});

test("a version that is known to be good is well: a request that got healthy is enough", async () => {
  expect(await leads("`rollback web 2`", { outcomes: {}, events: [made("GOOD", { to: 2, health: well })] })).toBe(
    "Roll back web to :1.2: routine",
  );
});

test.each([
  ["title", "Deploy :1.5, which never got ready, to web"],
  ["running", "Deploying :1.5, which never got ready, to web"],
  ["done", "Deployed :1.5 to web"],
  ["accepted", "Deployment :1.5 to web accepted"],
] as const)("going to a version that wasn't ready is a deploy, and its %s says why until it is done", (form, says) => {
  const diff = [
    "image shop/web:1.4 → shop/web:1.5",
    "to version 3, which never got ready, with its environment variables",
  ];

  expect(phraseText({ op: "updateService", verb: "rollback", workload, diff }, form)).toBe(says);
});
