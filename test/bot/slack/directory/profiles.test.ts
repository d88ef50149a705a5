import { stillClock } from "../../../support/test-clock.ts";
import { type WebClient, WebAPIRateLimitedError } from "@slack/web-api";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createProfiles } from "../../../../src/bot/slack/directory/profiles.ts";
import { freshness } from "../../../../src/bot/workflow/ports.ts";
import type { StoredProfile } from "../../../../src/bot/workflow/stored.ts";

/** Time that passes from one timer to the next whenever nothing else is left to do. */
function virtualTime() {
  const clock = stillClock();
  return {
    clock,
    async during<Value>(work: Promise<Value>): Promise<Value> {
      const over = new AbortController();
      const end = (): void => over.abort();
      work.then(end, end);
      while (!over.signal.aborted) await clock.passMs(100);
      return work;
    },
  };
}

type Given = {
  /** Ids that `users.list` has, in order. */
  readonly listed?: readonly string[];
  readonly perMinute?: number;
  readonly retryAfter?: number;
};

/** A Slack with rate tiers over virtual time, and a database that remembers. */
function slackOf({ listed = [], perMinute = 100, retryAfter }: Given = {}) {
  const time = virtualTime();
  const calls: { readonly method: string; readonly user?: string; readonly atMs: number }[] = [];
  const rows = new Map<string, StoredProfile & { readonly storedMs: number }>();
  const asked = async (method: string, most: number, user?: string): Promise<void> => {
    await time.clock.sleep(100);
    const recent = calls.filter((each) => each.method === method && time.clock.nowMs() - each.atMs < 60_000);
    if (recent.length >= most) {
      const [oldest] = recent;
      throw new WebAPIRateLimitedError(
        retryAfter ?? Math.ceil(((oldest?.atMs ?? 0) + 60_000 - time.clock.nowMs()) / 1_000),
      );
    }
    calls.push({ method, atMs: time.clock.nowMs(), ...(user !== undefined && { user }) });
  };
  const userOf = (id: string) => ({ id, team_id: "T1", real_name: `Name of ${id}` });
  const client = {
    users: {
      async info({ user }: { user: string }) {
        await asked("users.info", perMinute, user);
        return { user: userOf(user) };
      },
      async list({ cursor = "0", limit }: { cursor?: string; limit: number }) {
        await asked("users.list", 20);
        const from = Number(cursor);
        const next = from + limit < listed.length ? String(from + limit) : "";
        return { members: listed.slice(from, from + limit).map(userOf), response_metadata: { next_cursor: next } };
      },
    },
  } as unknown as WebClient; // the two methods that are called
  const profiles = createProfiles({
    client,
    teamId: () => Promise.resolve("T1"),
    clock: time.clock,
    wait: time.clock.sleep,
    store: {
      profilesOf: async (_team, ids) =>
        ids.flatMap((id) => {
          const row = rows.get(id);
          return row === undefined ? [] : [{ ...row, ageMs: row.ageMs + time.clock.nowMs() - row.storedMs }];
        }),
      saveProfiles: async (_team, all) => {
        for (const row of all) rows.set(row.userId, { ...row, storedMs: time.clock.nowMs() });
      },
      forgetProfile: async (_team, id) => void rows.delete(id),
    },
    log: pino({ level: "silent" }),
  });
  return { ...time, profiles, rows, calls: (method: string) => calls.filter((each) => each.method === method) };
}

const ids = (most: number, prefix = "U") => Array.from({ length: most }, (_, at) => `${prefix}${at}`);

test("three hundred new people at once are all known within seconds, most of them from a page or two of everybody", async () => {
  const slack = slackOf({ listed: ids(300) });

  const read = await slack.during(Promise.all(ids(300).map((id) => slack.profiles.get(id, freshness.profile))));

  expect(read.map(({ userId }) => userId)).toEqual(ids(300));
  expect(slack.calls("users.list").length).toBeLessThanOrEqual(3);
  expect(slack.calls("users.info").length).toBeLessThanOrEqual(60);
  expect(slack.clock.elapsedMs()).toBeLessThan(5_000);
});

test("many whom no list has wait for Slack's time, and nobody is refused", async () => {
  const slack = slackOf();

  const read = await slack.during(Promise.all(ids(200).map((id) => slack.profiles.get(id, freshness.profile))));

  expect(read).toHaveLength(200);
  expect(slack.calls("users.info")).toHaveLength(200);
});

test("while Slack answers 429, who acts goes before who reads, and the last places are for them", async () => {
  const slack = slackOf({ perMinute: 10 });
  await slack.during(Promise.all(ids(10).map((id) => slack.profiles.get(id, freshness.profile))));

  const readers = ids(250, "R").map((id) => slack.profiles.get(id, freshness.profile).catch(() => "refused"));
  const acting = slack.profiles.get("ACTS", freshness.deciding);
  await slack.during(acting);

  const order = slack.calls("users.info").map(({ user }) => user);
  expect(order.indexOf("ACTS")).toBeLessThan(20);
  const told = await slack.during(Promise.all(readers));
  expect(told.filter((each) => each === "refused").length).toBeGreaterThan(0);
});

test("a Retry-After that nobody would wait for refuses at once, in Slack's words", async () => {
  const slack = slackOf({ perMinute: 1, retryAfter: 600 });
  await slack.during(slack.profiles.get("U1", freshness.profile));

  await expect(slack.during(slack.profiles.get("U2", freshness.profile))).rejects.toMatchObject({ retryAfter: 600 });
  await expect(slack.during(slack.profiles.get("U3", freshness.profile))).rejects.toThrow(WebAPIRateLimitedError);
  expect(slack.calls("users.info")).toHaveLength(1);
});

test("a look for approvers takes a few calls, none while Slack answers 429, and knows what others have read", async () => {
  const slack = slackOf({ listed: ids(250) });
  const isEnough = (): boolean => false;
  await slack.during(slack.profiles.get("X0", freshness.profile));

  const some = await slack.during(slack.profiles.someProfiles(ids(150, "X"), isEnough));

  expect(some.has("X0")).toBe(true);
  expect(slack.calls("users.info").length).toBeLessThanOrEqual(11);
  expect(slack.calls("users.list").length).toBeLessThanOrEqual(3);
});

test("who acts is read again after ten seconds, who reads after a day, and one call serves all who ask at once", async () => {
  const slack = slackOf();
  const { profiles } = slack;
  await slack.during(Promise.all([1, 2, 3].map(() => profiles.get("U1", freshness.deciding))));
  expect(slack.calls("users.info")).toHaveLength(1);

  await slack.clock.passMs(11_000);
  await slack.during(profiles.get("U1", freshness.profile));
  expect(slack.calls("users.info")).toHaveLength(1);
  await slack.during(profiles.get("U1", freshness.deciding));
  expect(slack.calls("users.info")).toHaveLength(2);
  await slack.clock.passMs(24 * 60 * 60_000);
  await slack.during(profiles.get("U1", freshness.profile));
  expect(slack.calls("users.info")).toHaveLength(3);
});

test("a change that Slack tells counts at once; told late, it only makes Gantry ask again; strangers aren't kept", async () => {
  const slack = slackOf();
  const { profiles } = slack;
  await slack.during(profiles.get("U1", freshness.profile));
  const guest = { id: "U1", team_id: "T1", name: "u1", is_restricted: true };

  await slack.during(profiles.profileChanged(guest, { isLate: false, isNew: false }));
  expect(await slack.during(profiles.get("U1", freshness.deciding))).toMatchObject({ standing: "guest" });
  expect(slack.rows.get("U1")).toMatchObject({ standing: "guest" });

  await slack.during(profiles.profileChanged(guest, { isLate: true, isNew: false }));
  expect(await slack.during(profiles.get("U1", freshness.profile))).toMatchObject({ standing: "member" });
  await slack.during(profiles.profileChanged({ ...guest, id: "U2" }, { isLate: false, isNew: false }));
  await slack.during(profiles.profileChanged({ ...guest, id: "U3" }, { isLate: false, isNew: true }));
  expect([...slack.rows.keys()]).toEqual(["U1", "U3"]);
});
