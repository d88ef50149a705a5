import { afterAll, describe, expect, test } from "vitest";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { openPostgres } from "../../../src/platform/database/postgres.ts";
import { emptyAfterMigrating } from "../../bot/store/support/emptied.ts";
import { notFullRun, someOf } from "../../support/full-run.ts";
import { newDatabase, startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { crashing, well } from "../../support/watched-town.ts";
import {
  looksUntil,
  type Moment,
  passes,
  stopsAt,
  watchingReplicas,
  type WatchingPoint,
} from "../../support/watching-replicas.ts";

const steps: readonly WatchingPoint[] = [
  "takeDue round",
  "roundOf",
  "watchesOn",
  "list",
  "incidentsOf",
  "keptOf",
  "endRound",
  "dueNotices",
  "placeNotices",
  "takeDue post",
  "postOf",
  "alertOf",
  "savePost",
  "post the card",
  "post in the thread",
];
const recovering: readonly WatchingPoint[] = [
  "list",
  "endRound",
  "takeDue post",
  "update the card",
  "post in the thread",
  "savePost",
];
const moments: readonly Moment[] = ["before", "after"];
/** Where most can go wrong. */
const worst: ReadonlySet<WatchingPoint> = new Set([
  "endRound",
  "placeNotices",
  "post the card",
  "postDue",
  "savePost",
  "loseWatch",
]);

/** Slack has taken it and nobody stored that. It can't be asked, so another message follows, which says so. */
const unheard: ReadonlySet<string> = new Set(["post the card after", "post in the thread after"]);

type Town = Awaited<ReturnType<typeof watchingReplicas>>;

/** What a replica does while half an hour passes, first after another one was killed: its leases end. */
async function goesOn(town: Town, look: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    town.passSeconds(40);
    await look();
  }
}

function expectTold(town: Town, what: WatchingPoint, moment: Moment): void {
  const extra = unheard.has(`${what} ${moment}`) ? 1 : 0;
  const cards = town.cards();
  expect(cards.filter((text) => text.startsWith("🟢 web recovered"))).toHaveLength(1);
  expect(cards.length).toBeLessThanOrEqual(what === "post in the thread" ? 1 : 1 + extra);
  if (cards.length > 1) expect(cards.at(-1)).toContain("Posted again");
  const news = town.replies().filter((text) => text.startsWith("🟢 web recovered"));
  expect(news.length).toBeGreaterThanOrEqual(1);
  expect(news.length).toBeLessThanOrEqual(what === "post in the thread" ? 1 + extra : 1);
}

const digesting: readonly WatchingPoint[] = [
  "takeDue digest",
  "postDue",
  "takeDue post",
  "list",
  "savePost",
  "post the card",
  "removePost",
];
/** Nobody stored that Slack has taken it. */
const unheardDigest: ReadonlySet<string> = new Set(["post the card after"]);
const daily = { events: [], digest: { days: "daily", at: "09:00", zone: "UTC" } } as const; // literal days
const A_DAY_S = 24 * 60 * 60;

/** Which of the sentences say that they are sent again: nobody stored whether Slack took the first one. */
const endTold: Readonly<Record<string, readonly boolean[]>> = {
  "savePost after": [true],
  "post the card before": [true],
  "post the card after": [false, true],
};

/** What two replicas on one database do. */
function stories(open: () => Promise<Town>, points: "all" | "worst"): void {
  const each = (those: readonly WatchingPoint[]) =>
    someOf(
      those
        .filter((what) => points === "all" || worst.has(what))
        .flatMap((what) => moments.map((moment) => [what, moment] as const)), // a pair
      1,
      3,
    );

  test.each(each(steps))(
    "a replica that is killed at %s, %s it: the other one tells it, once",
    async (what, moment) => {
      const town = await open();
      try {
        const { pass, isReached } = stopsAt({ what, moment });
        const survivor = await town.start(passes);
        town.is("web", well);
        await town.watches("web");
        await survivor.look();
        const victim = await town.start(pass);

        town.is("web", crashing);
        town.passSeconds(15);
        expect(isReached() || (await looksUntil(victim.look, isReached))).toBe(true);
        victim.freeze();
        await goesOn(town, survivor.look);
        town.is("web", well);
        await goesOn(town, survivor.look);

        expectTold(town, what, moment);
      } finally {
        await town.close();
      }
    },
  );

  test.each(each(recovering))("one that is killed while it tells a recovery at %s, %s it", async (what, moment) => {
    const town = await open();
    try {
      const survivor = await town.start(passes);
      town.is("web", well);
      await town.watches("web");
      await survivor.look();
      town.is("web", crashing);
      await goesOn(town, survivor.look);

      const { pass, isReached } = stopsAt({ what, moment });
      const victim = await town.start(pass);
      town.is("web", well);
      town.passSeconds(40);
      expect(isReached() || (await looksUntil(victim.look, isReached))).toBe(true);
      victim.freeze();
      await goesOn(town, survivor.look);

      expectTold(town, what, moment);
    } finally {
      await town.close();
    }
  });

  test.each(each(digesting))(
    "a replica that is killed while it tells a digest at %s, %s it: the other one tells it, once",
    async (what, moment) => {
      const town = await open();
      try {
        const { pass, isReached } = stopsAt({ what, moment });
        const survivor = await town.start(passes);
        town.is("web", { status: "Failed", ready_instances: 0 });
        await town.watches("web", daily);
        await survivor.look();
        const victim = await town.start(pass);

        town.passSeconds(A_DAY_S);
        expect(isReached() || (await looksUntil(victim.look, isReached))).toBe(true);
        victim.freeze();
        await goesOn(town, survivor.look);

        const digests = town.cards().filter((text) => text.includes("Digest: 1 needs attention"));
        expect(digests).toHaveLength(unheardDigest.has(`${what} ${moment}`) ? 2 : 1);
        if (digests.length > 1) expect(digests.map((text) => text.includes("sent again"))).toEqual([false, true]);
        town.passSeconds(A_DAY_S);
        await survivor.look();
        expect(town.cards().filter((text) => text.includes("Digest:"))).toHaveLength(digests.length + 1);
        expect(town.cards().at(-1)).not.toContain("sent again");
      } finally {
        await town.close();
      }
    },
  );

  test.each(
    each([
      "loseWatch",
      "takeDue watch news",
      "postDue",
      "takeDue post",
      "savePost",
      "post the card",
      "removePost",
    ]).flatMap(([what, moment]) => (["file", "person"] as const).map((source) => [what, moment, source] as const)), // sources of watches
  )(
    "a replica that is killed at %s, %s it, while it ends a watch of a %s: the other one says so, once",
    async (what, moment, source) => {
      const town = await open();
      try {
        const { pass, isReached } = stopsAt({ what, moment });
        const survivor = await town.start(passes);
        if (source === "file") town.fileSays("watches: [{ watch: service/web, owner: U0ALEX, in: C0OPS }]");
        else await town.watches("web", { owner: { userId: "U0ALEX", name: "Alex Kim" } });
        await survivor.look();
        town.deactivate("alex");
        const victim = await town.start(pass);

        town.passSeconds(660);
        expect(isReached() || (await looksUntil(victim.look, isReached))).toBe(true);
        victim.freeze();
        for (let turn = 0; turn < 3; turn += 1) {
          town.passSeconds(660);
          await survivor.look();
        }

        const told = town.cards().filter((text) => text.startsWith("🔕 Alex Kim no longer watches web: "));
        expect(told.map((text) => text.includes("Sent again"))).toEqual(endTold[`${what} ${moment}`] ?? [false]);
      } finally {
        await town.close();
      }
    },
  );

  test("two replicas that are due at once tell a digest once", async () => {
    const town = await open();
    try {
      const [a, b] = [await town.start(passes), await town.start(passes)];
      town.is("web", { status: "Failed", ready_instances: 0 });
      await town.watches("web", daily);
      await a.look();
      for (let day = 0; day < 3; day += 1) {
        town.passSeconds(A_DAY_S);
        await Promise.all([a.look(), b.look()]);
      }

      expect(town.cards().filter((text) => text.includes("Digest: 1 needs attention"))).toHaveLength(3);
    } finally {
      await town.close();
    }
  });

  test("two replicas that look and tell at once tell everything once", async () => {
    const town = await open();
    try {
      const [a, b] = [await town.start(passes), await town.start(passes)];
      for (const name of ["web", "shop", "cart"]) town.is(name, well);
      await town.watches("*");
      const both = () => Promise.all([a.look(), b.look()]).then(() => undefined);
      await both();
      for (const name of ["web", "shop", "cart"]) {
        town.is(name, crashing);
        await goesOn(town, both);
      }
      for (const name of ["web", "shop", "cart"]) town.is(name, well);
      await goesOn(town, both);

      expect(town.cards().map((text) => text.split(" after ")[0])).toEqual([
        "🟢 web recovered",
        "🟢 shop recovered",
        "🟢 cart recovered",
      ]);
      expect(town.replies().filter((text) => text.startsWith("🟢"))).toHaveLength(3);
    } finally {
      await town.close();
    }
  });
}

describe("on SQLite", () => {
  // Each takes half a second.
  stories(() => watchingReplicas(), notFullRun === undefined ? "all" : "worst");
});

const server = notFullRun === undefined ? await startPostgres() : { missing: notFullRun };
const postgres = "missing" in server ? undefined : await onServer(server);
afterAll(() => postgres?.stop());

/** One database for all stories, emptied before each: to make one takes as long as half a story. */
async function onServer({ url: serverUrl, stop }: TestPostgres) {
  const url = await newDatabase(serverUrl);
  const limits = { poolSize: 1, statementTimeoutMs: 60_000, connectWithinMs: 60_000 };
  const db = openPostgres<Tables>({ url, ...limits }, () => {});
  const empty = emptyAfterMigrating(db);
  return {
    async open() {
      await empty();
      return watchingReplicas(url);
    },
    async stop() {
      await db.destroy();
      await stop();
    },
  };
}

describe.skipIf("missing" in server)(`on PostgreSQL${"missing" in server ? ` (${server.missing})` : ""}`, () => {
  stories(async () => (await postgres?.open()) ?? watchingReplicas(), "worst");
});
