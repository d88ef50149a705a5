import { describe, expect, test } from "vitest";
import { checks, findingsOf } from "../../../src/bot/health/checkup.ts";
import { worstOf } from "../../../src/bot/health/finding.ts";
import type { Facts, ReplicaReport } from "../../../src/bot/health/facts.ts";
import { ago, healthy, report, slack } from "./healthy-facts.ts";

test("a healthy deployment: every check says one line, and that it is ok", () => {
  const findings = findingsOf(healthy);

  expect(worstOf(findings)).toBe("ok");
  expect(findings.map(({ check, says }) => `${check}: ${says}`)).toMatchInlineSnapshot(`
    [
      "slack.token: The bot token works: @gantry in Acme",
      "slack.app-token: The app-level token opens Socket Mode connections",
      "slack.scopes: All 3 scopes of the manifest are granted",
      "slack.connections: host-a has 2 connections to Slack, the oldest for 1h",
      "slack.deliveries: Last from Slack: command 2m ago, event 1h ago",
      "slack.clock: This machine's clock agrees with Slack's",
      "slack.channels: The bot is in 2 channels",
      "api.answer: api.example.com answers as \`acme\` (services in us, 12 ms)",
      "api.calls: 60 of 100 API requests left today for \`acme\`",
      "api.engine: Kubernetes: us v1.34.1",
      "database.answer: PostgreSQL 17.2 answers in 3 ms",
      "database.schema: The schema is up to date (8)",
      "database.clock: This machine's clock agrees with the database's",
      "database.keys: The keys open everything stored (3 sealed values; \`k2\` seals; keep \`k1\`, which older ones need)",
      "gantry.policy: Policy: policy.yaml, 3 rules",
      "gantry.watches: Watches: 3 in watches.yaml",
      "gantry.replicas: 1 live replica: host-a 1.0.0, up 3h",
      "gantry.lanes: Nothing waits long: 1 running, 0 waiting",
      "gantry.errors: No errors in the last hour",
    ]
  `);
});

test("where only the newest sealed values were read, it says so", () => {
  const [first] = healthy.keys?.sealed ?? [];
  if (first === undefined) throw new Error("nothing is sealed");
  const sealed = [
    { ...first, count: 400, isNewestOnly: true },
    { ...first, what: "requests", count: 100 },
  ];
  const keys = { ids: ["k1"], exposedFile: undefined, sealed };

  expect(findingsOf({ ...healthy, keys }).find(({ check }) => check === "database.keys")?.says).toBe(
    "The keys open the newest 500 sealed values (`k1` seals)",
  );
});

const replica = (other: Partial<ReplicaReport>) => [{ id: "r1", report: { ...report, ...other } }];
const api = healthy.api as Extract<Facts["api"], { readonly kind: "asked" }>; // as the healthy facts have it
const database = healthy.database as Extract<Facts["database"], { readonly kind: "open" }>; // as the healthy facts have it
const sealed = (opens: "unknown-key" | "wrong-key" | "damaged") => ({
  ids: ["k2"],
  sealed: [{ what: "account tokens", keyId: "k1", count: 3, isNewestOnly: false, opens }],
  exposedFile: undefined,
});

/** What is different from the healthy facts. */
const unwell: Readonly<Record<string, Partial<Facts>>> = {
  "the bot token was revoked": { slack: [{ ...slack, token: { kind: "refused", code: "token_revoked" } }] },
  "Slack can't be reached": {
    slack: [{ ...slack, token: { kind: "away", why: "it can't be reached (ECONNREFUSED)" } }],
  },
  "a workspace's token can't be opened": { slack: [{ ...slack, workspace: "Acme", token: { kind: "sealed" } }] },
  "no workspace has the app": { slackKind: "oauth", slack: [] },
  "the bot token stands where the app-level token belongs": {
    appToken: { kind: "refused", code: "not_allowed_token_type" },
  },
  "a needed scope and an optional one are missing": { slack: [{ ...slack, scopes: ["commands"] }] },
  "no connection to Slack is open": { replicas: replica({ transport: { kind: "socket", links: [] } }) },
  "one of two connections is missing": { replicas: replica({ transport: { kind: "socket", links: [5_000] } }) },
  "another Gantry is on the same Slack app": {
    replicas: replica({ transport: { kind: "socket", links: [60_000, 60_000], others: 2 } }),
  },
  "nothing has arrived": { replicas: replica({ arrived: {} }) },
  "the signing secret is another app's": {
    transport: "http",
    replicas: replica({
      transport: { kind: "http", links: [] },
      arrived: {},
      refused: { count: 4, last: ago(30_000) },
    }),
  },
  "the clock is ten minutes fast": { transport: "http", slack: [{ ...slack, aheadMs: 600_000 }] },
  "the clock is ten minutes slow": { transport: "http", slack: [{ ...slack, aheadMs: -600_000 }] },
  "the clock is a minute fast": { slack: [{ ...slack, aheadMs: 61_000 }] },
  "the bot is in no channel": { slack: [{ ...slack, channels: { kind: "known", ids: [] } }] },
  "the bot isn't in a bound channel": { boundChannels: ["C1", "C9"] },
  "the bot's channels can't be listed": { slack: [{ ...slack, channels: { kind: "refused", code: "missing_scope" } }] },
  "the workload API doesn't answer": {
    api: { ...api, answer: { ok: false, says: "The workload API didn't answer in 4 s", isAccountRefused: false } },
  },
  "the workload API refuses the account": {
    api: {
      ...api,
      answer: { ok: false, says: "The workload API rejected the user name or token", isAccountRefused: true },
    },
  },
  "few calls are left": { api: { ...api, calls: { count: 95, perDay: 100 } } },
  "no calls are left": { api: { ...api, calls: { count: 101, perDay: 100 } } },
  "a workspace has no account": { api: { kind: "own", host: "api.example.com", connected: 1, workspaces: 2 } },
  "one region of two is away": {
    api: {
      ...api,
      engine: {
        title: "Kubernetes",
        regions: [
          { name: "us", version: "v1.34.1" },
          { name: "eu", problem: "the cluster doesn't answer" },
        ],
      },
    },
  },
  "the database is away": {
    database: { kind: "away", why: "it can't be reached (ECONNREFUSED)" },
    keys: undefined,
    replicas: undefined,
  },
  "the database became read-only, so no heartbeat is stored": {
    database: { ...database, refusesWrites: "it is read-only (25006)" },
    replicas: [],
  },
  "the disk is full, so no heartbeat is stored": { database: { ...database, freeBytes: 0 }, replicas: [] },
  "no heartbeat is stored, and nothing says why": {
    database: { ...database, flavour: "postgres" },
    replicas: [],
    lastHeartbeat: { overAt: new Date(healthy.now.getTime() - 180_000).toISOString(), host: "host-a" },
  },
  "nobody can read which replica stored the last heartbeat": {
    replicas: [],
    lastHeartbeat: { overAt: new Date(healthy.now.getTime() - 180_000).toISOString(), host: undefined },
  },
  "the disk has little space left, and Gantry doesn't run": {
    database: { ...database, freeBytes: 100 * 1024 * 1024 },
    replicas: [],
  },
  "the database is slow": { database: { ...database, latencyMs: 700 } },
  "the schema is old": { database: { ...database, schema: { at: 5, known: 8 } }, keys: undefined, replicas: undefined },
  "the schema is newer": {
    database: { ...database, schema: { at: 9, known: 8 } },
    keys: undefined,
    replicas: undefined,
  },
  "the database's clock is off": { database: { ...database, aheadMs: -45_000 } },
  "the disk is nearly full": { database: { ...database, freeBytes: 10 * 1024 * 1024 } },
  "a key is gone": { keys: sealed("unknown-key") },
  "a key was replaced under its id": { keys: sealed("wrong-key") },
  "stored texts are damaged": { keys: sealed("damaged") },
  "others can read the key file": { keys: { ids: ["k1"], sealed: [], exposedFile: "/data/gantry.key" } },
  "the policy file is broken, while Gantry runs": {
    policy: { source: "policy.yaml", rules: 0, problem: "policy.yaml, line 3: unknown key “whoo”.", groups: [] },
  },
  "the policy file is broken, and Gantry doesn't run": {
    policy: { source: "policy.yaml", rules: 0, problem: "policy.yaml, line 3: unknown key “whoo”.", groups: [] },
    replicas: [],
  },
  "a replica uses another policy than the doctor's settings": {
    policy: {
      source: "policy.yaml",
      rules: 3,
      problem: undefined,
      groups: [],
      elsewhere: [{ host: "host-a", source: "the built-in policy", rules: 9 }],
    },
  },
  "the policy names a group that doesn't exist": {
    policy: { source: "policy.yaml", rules: 3, problem: undefined, groups: ["S0GONE"] },
  },
  "the file of watches is broken, while Gantry runs": {
    watches: { source: "watches.yaml", count: 3, problem: "watches.yaml, line 2: unknown key “ownr”." },
  },
  "the file of watches is broken, and Gantry doesn't run": {
    watches: { source: "watches.yaml", count: 0, problem: "watches.yaml, line 2: unknown key “ownr”." },
    replicas: [],
  },
  "a replica isn't ready": { replicas: replica({ missing: ["No connection to Slack is open"] }) },
  "replicas have different versions": {
    replicas: [...replica({}), { id: "r2", report: { ...report, host: "host-b", version: "0.9.0" } }],
  },
  "a replica of another version can't be read": { replicas: [...replica({}), { id: "r2", report: undefined }] },
  "people wait": { replicas: replica({ lanes: { people: { running: 64, waiting: 12, oldestMs: 14_000 } } }) },
  "the audit's webhook is away": {
    failingReceivers: [{ name: "webhook", since: ago(3 * 60 * 60_000), waiting: 12 }],
  },
  "errors were logged": {
    replicas: replica({
      errors: [
        { at: ago(90_000), says: "a call to Slack failed (chat.postMessage, not_in_channel)", reference: "ab12cd34" },
        { at: ago(2 * 60 * 60_000), says: "an old one" },
      ],
    }),
  },
};

describe("what is wrong, and one thing to do about it", () => {
  test.each(Object.keys(unwell))("%s", (name) => {
    const findings = findingsOf({ ...healthy, ...unwell[name] });
    const trouble = findings.flatMap((each) => (each.state === "ok" ? [] : [each]));

    expect(
      trouble.map(({ check, state, says, todo }) => `${check} ${state}: ${says} → ${todo}`).join("\n"),
    ).toMatchSnapshot();
  });
});

test("a second replica of another version is only a note", () => {
  const findings = findingsOf({ ...healthy, ...unwell["a replica of another version can't be read"] });

  expect(findings.find(({ check }) => check === "gantry.replicas")?.says).toBe(
    "2 live replicas: host-a 1.0.0, up 3h; 1 replica without a report",
  );
});

test("a wrong signature some time ago is a warning once signed requests arrive again", () => {
  const refused = { count: 4, last: ago(600_000) };
  const findings = findingsOf({ ...healthy, replicas: replica({ refused }) });

  expect(findings.find(({ check }) => check === "slack.deliveries")?.state).toBe("warning");
});

test("each check has a name of its own", () => {
  expect(new Set(checks.map(({ check }) => check)).size).toBe(checks.length);
});
