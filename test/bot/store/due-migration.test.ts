import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../src/bot/accounts/seal.ts";
import { stageOf } from "../../../src/bot/workflow/lifecycle.ts";
import { upgradedFrom } from "./support/upgraded.ts";

const sealer = createSealer(readKeyring(newKey()));
const BEFORE = "2026-01-01T00:00:00.000Z";
const MINUTE = 60_000;
const upgraded = (...rows: readonly string[]) => upgradedFrom("work that is due, in one table", rows, sealer);

const soon = new Date(Date.now() + MINUTE).toISOString();

function digest(id: string, { due, until, posts = 0 }: { due?: string; until?: string; posts?: number }): string {
  const text = (value?: string): string => (value === undefined ? "null" : `'${value}'`);
  const token = until === undefined ? "null" : "'of another replica'";
  return `insert into watch (id, team_id, owner_id, owner_name, source, account_owner, account_username, kind, names, region,
    place, events, after_ms, digest, is_digest, created_at, digest_due, digest_until, digest_token, digest_posts)
    values ('${id}', 'T1', 'U1', 'Ann', 'person', '{"kind":"workspace"}', 'acme', '', '${id}', 'us', 'C1', '[]', 0,
    '{"days":"daily","at":"09:00","zone":"UTC"}', 1, '${BEFORE}', ${text(due)}, ${text(until)}, ${token}, ${posts})`;
}

test("digests keep their times, leases, and whether they may have been posted", async () => {
  const { store, take, pass } = await upgraded(
    digest("new", {}),
    digest("late", { due: BEFORE }),
    digest("posted", { due: BEFORE, until: soon, posts: 1 }),
    digest("waits", { due: soon }),
  );

  const now = await take("digest");
  for (const due of now) await store.endDue(due);
  pass(MINUTE + 1);
  const later = await take("digest");

  const payloads = (some: typeof now) => Object.fromEntries(some.map(({ key, payload }) => [key, payload]));
  expect(payloads(now)).toEqual({ new: undefined, late: JSON.stringify({ dueAt: BEFORE }) });
  expect(payloads(later)).toEqual({
    posted: JSON.stringify({ dueAt: BEFORE, isMaybePosted: true }),
    waits: JSON.stringify({ dueAt: soon }),
  });
});

test("what became of a watch is still told, with what is known of its posts", async () => {
  const news = JSON.stringify({ target: { names: "*", region: "us" } });
  const sealed = (id: string) => sealer.seal(news, ["words", `watch news ${id}`]);
  const row = (id: string, posts: number) =>
    `insert into watch_news (id, team_id, place, owner_id, news, created_at, token, leased_until, posts)
    values ('${id}', 'T1', 'C1', 'U1', '${sealed(id)}', '${BEFORE}', null, null, ${posts})`;
  const { take } = await upgraded(row("n1", 0), row("n2", 1));

  expect(await take("watch news")).toMatchObject([
    { key: "n1", payload: news, attempts: 1, createdAt: new Date(BEFORE) },
    { key: "n2", payload: news, attempts: 2 },
  ]);
});

test("followed logs go on, in their replica or in another one", async () => {
  const row = (id: string, token: string, until: string) =>
    `insert into follow (id, team_id, channel_id, requester_id, sealed, created_at, look_after, token, taken_until)
    values ('${id}', 'T1', 'C1', 'U1', 'sealed', '${BEFORE}', '${BEFORE}', ${token}, ${until})`;
  const { store, take, pass } = await upgraded(row("f1", "null", "null"), row("f2", "'other'", `'${soon}'`));

  const [due, ...others] = await take("follow");
  pass(MINUTE + 1);

  expect(others).toEqual([]);
  expect(due && (await store.followOf(due))).toMatchObject({ id: "f1", sealed: "sealed" });
  expect((await take("follow")).map(({ key }) => key)).toContain("f2");
});

test("a batch of history that was begun is repeated as it was, after its back-off", async () => {
  const { store, take, pass } = await upgraded(
    `insert into audit_receiver (name, number, batch_to, next_at, failures, failing_since)
      values ('webhook', 0, 2, '${soon}', 3, '${BEFORE}'), ('stdout', 5, null, null, 0, null)`,
  );
  const early = await take("audit");
  for (const due of early) await store.endDue(due);
  pass(MINUTE + 1);

  expect(early).toMatchObject([{ key: "stdout", attempts: 1 }]);
  expect(await take("audit")).toMatchObject([{ key: "webhook", attempts: 4 }]);
  expect((await store.inspect()).failingReceivers).toMatchObject([{ name: "webhook", since: BEFORE }]);
});

test("tokens and doubts of installations are looked after", async () => {
  const row = (id: string, expires: string, doubted: string) =>
    `insert into installation (id, is_org, name, app_id, bot_user_id, scopes, sealed_tokens, expires_at, version, doubted_at,
      installed_by, installed_at)
    values ('${id}', 0, 'x', 'A1', 'UB', '', 'sealed', ${expires}, 1, ${doubted}, 'U1', '${BEFORE}')`;
  const { take } = await upgraded(row("T1", `'${soon}'`, "null"), row("T2", "null", `'${BEFORE}'`));

  expect((await take("token")).map(({ key }) => key)).toEqual(["T1"]);
  expect((await take("doubt")).map(({ key }) => key)).toEqual(["T2"]);
});

test("lists that were watched are looked at again, from what was seen last", async () => {
  const { store, take } = await upgraded(
    digest("w1", {})
      .replace("'[]', 0,", `'["failing"]', 0,`)
      .replace(/1, '2026-01/u, "0, '2026-01"),
    `insert into observation (team_id, account, region, kind, due_at, looked_at, every_ms, failures, version)
      values ('T1', 'acme', 'us', 'service', '${BEFORE}', '${BEFORE}', 10000, 0, 7)`,
  );
  await store.syncRounds("us");

  const rounds = await Promise.all((await take("round")).map((due) => store.roundOf(due)));
  const seen = rounds.map((round) => [round?.kind, { at: round?.polledAt?.toISOString(), version: round?.version }]);
  expect(Object.fromEntries(seen)).toEqual({
    job: { at: undefined, version: 0 },
    service: { at: BEFORE, version: 7 },
  });
});

const change = (
  id: string,
  state: string,
  {
    expires = "null",
    settled = "null",
    health = "null",
    look = "null",
    owner = "null",
    partOf = "null",
  }: Readonly<Record<string, string>> = {},
) => `insert into change (id, delivery_id, state, version, team_id, requester_id, requester_name, channel_id, verb, op, workload_kind,
  workload_region, workload_name, risk, diff, digest, sealed, account_owner, account_username, rule, break_glass, is_undone,
  created_at, expires_at, settled_at, health, look_after, owner, part_of)
  values ('${id}', 'd-${id}', '${state}', 1, 'T1', 'U1', 'Ann', 'C1', 'scale', 'updateService', 'service', 'us', 'web', 'routine', '[]',
  'x', 'sealed', '{"kind":"workspace"}', 'acme', 'all', 0, 0, '${BEFORE}', ${expires}, ${settled}, ${health}, ${look}, ${owner}, ${partOf})`;

test("requests that wait, run or are followed go on, each at its time", async () => {
  const later = new Date(Date.now() + 2 * MINUTE).toISOString();
  const settled = `'${BEFORE}'`;
  const { store, take, pass } = await upgradedFrom(
    "requests to carry on, as work that is due",
    [
      `insert into replica (id, alive_until) values ('lives', '${soon}'), ('gone', '${BEFORE}')`,
      change("WAITS1", "pending", { expires: `'${later}'` }),
      change("OVERDUE", "pending", { expires: `'${BEFORE}'` }),
      change("FOREVER", "pending"),
      change("RUNS11", "claimed", { owner: "'lives'" }),
      change("LEFT11", "approved", { owner: "'gone'" }),
      change("LEFT11/1", "approved", { partOf: "'LEFT11'" }),
      change("DOUBT1", "unknown", { owner: "'gone'" }),
      change("LOOKED", "done", { settled, look: `'${later}'`, owner: "'lives'" }),
      change("NOTYET", "done", { settled, owner: "'gone'" }),
      change("PARTLY", "failed", { settled, look: `'${BEFORE}'` }),
      change("HEALTHY", "done", { settled, health: `'{"kind":"reached","line":"","excerpt":[]}'` }),
      change("GIVENUP", "unknown", { settled }),
      change("REJECTED", "rejected", { settled }),
    ],
    sealer,
  );
  const due: (readonly string[])[] = [];
  for (const ms of [0, MINUTE + 1, MINUTE]) {
    pass(ms);
    const taken = await take("change");
    for (const each of taken) await store.endDue(each);
    due.push(taken.map(({ key }) => key).toSorted());
  }

  expect(due).toEqual([["DOUBT1", "LEFT11", "NOTYET", "OVERDUE", "PARTLY"], ["RUNS11"], ["LOOKED", "WAITS1"]]);
});

test("what people asked for and nobody finished is done once the lease of its replica is over, and what was done is still known", async () => {
  const delivery = (id: string, owner: string, finished: string) => {
    const sealed = finished === "null" ? `'${sealer.seal(`asked in ${id}`, ["delivery", id])}'` : "null";
    return `insert into delivery (id, received_at, sealed, owner, finished_at) values ('${id}', '${BEFORE}', ${sealed}, ${owner}, ${finished})`;
  };
  const { store, take, pass } = await upgradedFrom(
    "what people asked for, as work that is due",
    [
      `insert into replica (id, alive_until) values ('lives', '${soon}')`,
      delivery("d1", "'gone'", "null"),
      delivery("d2", "'lives'", "null"),
      delivery("d3", "null", `'${BEFORE}'`),
    ],
    sealer,
  );

  const now = await take("delivery");
  pass(MINUTE + 1);
  for (const due of now) await store.endDue(due);
  const later = await take("delivery");

  expect(now).toMatchObject([{ key: "d1", payload: "asked in d1", attempts: 2, createdAt: new Date(BEFORE) }]);
  expect(later).toMatchObject([{ key: "d2", payload: "asked in d2" }]);
  expect([await store.isKnown("d1"), await store.isKnown("d2"), await store.isKnown("d3")]).toEqual([true, true, true]);
});

test("the workloads of a request for several go on, each by itself", async () => {
  const row = (id: string, state: string, { claimed = BEFORE, settled = "", health = "", parts = 0 } = {}) => {
    const text = (value: string): string => (value === "" ? "null" : `'${value}'`);
    const partOf = id.includes("/") ? "SEVERA" : "";
    return `insert into change (id, delivery_id, state, version, team_id, requester_id, requester_name, channel_id, verb, op,
      workload_kind, workload_region, workload_name, risk, diff, digest, sealed, account_owner, account_username, rule,
      break_glass, is_undone, created_at, claimed_at, settled_at, health, part_count, part_of)
      values ('${id}', 'd-${id}', '${state}', 1, 'T1', 'U1', 'Ann', 'C1', 'restart', 'restartService', 'service', 'us', 'w${id}',
      'routine', '[]', 'x', 'sealed', '{"kind":"workspace"}', 'acme', 'all', 0, 0, '${BEFORE}', ${text(claimed)},
      ${text(settled)}, ${text(health)}, ${parts}, ${text(partOf)})`;
  };
  const settled = BEFORE;
  const health = '{"kind":"reached","line":"","excerpt":[]}';
  const { store, take } = await upgradedFrom(
    "the parts of a request get leases of their own",
    [
      row("SEVERA", "done", { settled, parts: 5 }),
      row("SEVERA/1", "done", { settled, health }),
      row("SEVERA/2", "done", { settled }),
      row("SEVERA/3", "claimed"),
      row("SEVERA/4", "failed", { settled }),
      row("SEVERA/5", "approved", { claimed: "" }),
    ],
    sealer,
  );

  expect((await take("change")).map(({ key }) => key).toSorted()).toEqual(["SEVERA/2", "SEVERA/3"]);
  expect(
    stageOf((await store.find({ id: "SEVERA" })) ?? { state: "pending", settledAt: undefined, health: undefined }),
  ).toBe("over");
});
