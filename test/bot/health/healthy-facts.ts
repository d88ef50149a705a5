import type { Facts, SlackFacts, ReplicaReport } from "../../../src/bot/health/facts.ts";

export const now = new Date("2026-11-22T10:00:00.000Z");
/** So many milliseconds before now, as ISO 8601. */
export const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();

export const slack: SlackFacts = {
  workspace: undefined,
  token: { kind: "accepted", bot: "gantry", team: "Acme" },
  scopes: ["commands", "chat:write", "files:write"],
  aheadMs: 200,
  channels: { kind: "known", ids: ["C1", "C2"] },
  groups: ["S0ONCALL"],
};

export const report: ReplicaReport = {
  version: "1.0.0",
  host: "host-a",
  startedAt: ago(3 * 60 * 60_000),
  at: ago(1_000),
  transport: { kind: "socket", links: [60_000, 3_600_000] },
  missing: [],
  arrived: { command: ago(120_000), event: ago(3_600_000) },
  refused: { count: 0 },
  lanes: { people: { running: 1, waiting: 0, oldestMs: 0 } },
  errors: [],
  policy: { source: "policy.yaml", rules: 3 },
};

/** A deployment without any problem. */
export const healthy: Facts = {
  now,
  slackKind: "one",
  transport: "socket",
  slack: [slack],
  appToken: { kind: "accepted" },
  scopes: { needed: ["commands", "chat:write"], optional: ["files:write"] },
  boundChannels: ["C1"],
  api: {
    kind: "asked",
    host: "api.example.com",
    account: "acme",
    region: "us",
    answer: { ok: true, ms: 12 },
    calls: { count: 40, perDay: 100 },
    engine: { title: "Kubernetes", regions: [{ name: "us", version: "v1.34.1" }] },
  },
  database: {
    kind: "open",
    flavour: "postgres",
    version: "17.2",
    refusesWrites: undefined,
    latencyMs: 3,
    schema: { at: 8, known: 8 },
    aheadMs: 5,
    freeBytes: undefined,
  },
  keys: {
    ids: ["k2", "k1"],
    sealed: [{ what: "account tokens", keyId: "k1", count: 3, isNewestOnly: false, opens: "yes" }],
    exposedFile: undefined,
  },
  policy: { source: "policy.yaml", rules: 3, problem: undefined, groups: ["S0ONCALL"] },
  watches: { source: "watches.yaml", count: 3, problem: undefined },
  replicas: [{ id: "r1", report }],
  failingReceivers: [],
};
