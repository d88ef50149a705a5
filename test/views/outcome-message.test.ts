import { expect, test } from "vitest";
import type { Change, Outcome } from "../../src/changes/change.ts";
import { outcomeMessage } from "../../src/views/cards/outcome.ts";
import { drawn } from "./support/drawn.ts";
import { command } from "./support/workloads.ts";

const path = { region: "beijing1", service_name: "web" };
const workload = { kind: "service", region: "beijing1", name: "web", uid: undefined } as const;
const scale: Change = {
  call: { op: "updateService", path, query: undefined, body: { target_instance_size: 6 } },
  workload,
  before: undefined,
  diff: ["instances 2 → 6"],
};
const restart: Change = {
  ...scale,
  call: { op: "restartService", path, query: undefined, body: undefined },
  diff: ["restart"],
};
const create: Change = {
  call: {
    op: "createJob",
    path: { region: "us", job_name: "report" },
    query: undefined,
    body: { containers: [{ image: "gantry/batch" }] },
  },
  workload: { kind: "job", region: "us", name: "report", uid: undefined },
  before: undefined,
  diff: ["job report from gantry/batch"],
};

const done: Outcome = { kind: "done", after: undefined, alsoMoved: [] };

function said(change: Change, outcome: Outcome, defaultRegion?: string): string {
  const message = outcomeMessage({ change, outcome, command, by: "UDANA", ...(defaultRegion && { defaultRegion }) });
  return drawn(message);
}

test("took effect: before and after", () => {
  expect(said(scale, done)).toMatchInlineSnapshot(`
    "✅ Changed service web.
    • instances 2 → 6
    By @UDANA"
  `);
});

test("took effect, and something else moved", () => {
  expect(said(scale, { ...done, alsoMoved: ["memory 512 → 256"] })).toMatchInlineSnapshot(`
    "✅ Changed service web.
    • instances 2 → 6
    Something else moved meanwhile:
    • memory 512 → 256
    By @UDANA"
  `);
});

test("asked for, not seen yet", () => {
  expect(said(restart, { kind: "asked", after: undefined, why: "A restart leaves no trace." })).toMatchInlineSnapshot(`
    "📨 Asked the service to restart service web; it accepted.
    Asked for:
    • restart
    A restart leaves no trace.
    See whether it took effect with /gantry show service/web
    By @UDANA"
  `);
});

test("failed: why, and what to do", () => {
  expect(said(scale, { kind: "failed", why: "The token is not valid.", next: "Renew it." })).toMatchInlineSnapshot(`
    "❌ Service web was not changed.
    Asked for:
    • instances 2 → 6
    The token is not valid.
    Renew it.
    By @UDANA"
  `);
});

test("in doubt: what is not known, and how to look", () => {
  const unknown: Outcome = {
    kind: "unknown",
    after: "unread",
    why: "No answer came within 10 s.",
    next: "It is not sent again.",
  };

  expect(said(restart, unknown, "us")).toMatchInlineSnapshot(`
    "❓ Cannot tell whether service web in region beijing1 was restarted.
    Asked for:
    • restart
    No answer came within 10 s.
    It is not sent again.
    Look with /gantry show service/web --region beijing1
    By @UDANA"
  `);
});

test("already so", () => {
  expect(said({ ...scale, diff: [] }, done)).toMatchInlineSnapshot(`
    "✅ It is already so: service web was left as it is, nothing was sent.
    By @UDANA"
  `);
});

test("created, and what to do next", () => {
  expect(said(create, done)).toMatchInlineSnapshot(`
    "✅ Created job report.
    • job report from gantry/batch
    Look at it with /gantry show job/report and read its log with /gantry logs job/report
    By @UDANA"
  `);
});
