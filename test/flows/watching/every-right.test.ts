import { expect, test } from "vitest";
import { boundTo } from "../../../src/bot/accounts/resolve.ts";
import { createSealer, readKeyring } from "../../../src/bot/accounts/seal.ts";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { event } from "../../bot/store/contract/bench.ts";
import { someOf } from "../../support/full-run.ts";
import { installedBot } from "../../support/installed-bot.ts";
import { connects } from "../../support/linking.ts";
import { type Call, type Moments, moments } from "../../support/moments.ts";
import { operationOf } from "../../support/operation-of.ts";
import { until } from "../../support/until.ts";
import type { World } from "../../support/world.ts";

const own = { username: "dana-own", token: "danas-token-that-only-dana-knows-0001" };
const other = { username: "dana-other", token: "danas-token-that-only-dana-knows-0002" };

/** The workload API of a story: what each account sees, with a word of its own in each name, reason and line. */
type Town = World & {
  readonly is: (name: string, fields: object) => void;
  readonly log: string[];
  /** From now on, it refuses the account with this status. */
  readonly refuses: (status: number) => void;
};

const well = { status: "Running", ready_instances: 1, restart_count: 0 };
const crashing = (reason: string): object => ({
  status: "Running",
  ready_instances: 0,
  restarts: { count: 4, first_at: "2026-12-02T12:59:00Z", last_at: "2026-12-02T13:00:00Z" },
  restart_count: 4,
  last_state: { reason: "Error", exit_code: 3 },
  message: reason,
});

const all = `{ name: all, who: everyone, does: [read, watch, routine, disruptive, destructive], then: allow }`;
const everything = `rules: [${all}]`;

async function opened(at: Moments): Promise<Town> {
  const services = new Map<string, object>();
  const log: string[] = [];
  let refusal: number | undefined;
  const town = await at.open({
    policy: everything,
    async apiFetch(request) {
      if (refusal !== undefined) return Response.json({ message: "no" }, { status: refusal });
      const op = operationOf(request);
      const isOther = request.headers.get("username") === other.username;
      const seen = isOther
        ? [["shop-private", crashing("reason-private")] as const, ["shop-a", crashing("reason-private")] as const]
        : [...services];
      const found = seen.map(([name, fields]) => ({ name, target_instance_size: 1, ...fields }));
      if (request.method !== "GET") {
        services.set("shop-a", { ...well, status: "Pending", ready_instances: 0, message: "reason-0" });
        return new Response(null, { status: 204 });
      }
      if (op === "listServices") return Response.json({ services: found });
      if (op === "listJobs") return Response.json({ jobs: [] });
      if (op === "getServiceLogs")
        return Response.json(
          (isOther ? ["line-private"] : log).map((text) => ({ instance_name: "shop-0", log: text })),
        );
      const one = op !== "getService" ? undefined : found.find(({ name }) => request.url.endsWith(`/${name}`));
      return one === undefined ? Response.json({ message: "not found" }, { status: 404 }) : Response.json(one);
    },
  });
  return {
    ...town,
    log,
    is: (name, fields) => void services.set(name, fields),
    refuses: (status) => void (refusal = status),
  };
}

async function passes(town: Town, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    town.passMinutes(1);
    await town.sweep();
  }
  await town.sweep();
  await town.sweep();
}

const says = async (town: Town, text: string): Promise<void> => {
  await town.developer.says(text, { channel: "ops" });
  await town.settled();
};

type Story = {
  readonly prepare: (town: Town) => Promise<void>;
  readonly play: (town: Town) => Promise<void>;
  /** What is protected of it; usually all. */
  readonly secret?: RegExp;
  /** Much like another story: most of its moments are left to full runs. */
  readonly isAlike?: true;
  /** Rights that it doesn't need. */
  readonly without?: readonly RightName[];
};

const secrets = /shop-[a-z]+|reason-\w+|line-\w+|recovered/gu;
/** Whoever requests something says the name themselves. */
const ofLooks = /reason-\w+|line-\w+|recovered/gu;

/** A card of a request is the channel's, whoever left it. */
const ofWatches = ["policy lets nobody watch or read logs", "the owner is removed from the channel"] as const; // literals
/** What somebody did is the channel's, whatever they may do by now: only policy hides the name that they typed. */
const ofPeople = [
  ...ofWatches,
  "the owner is deactivated",
  "the account is disconnected",
  "another account is connected instead",
] as const; // literals

async function restarting(town: Town): Promise<void> {
  town.is("shop-a", well);
  await connects(town, town.developer, own);
}

/** Dana watches with an account of her own. */
async function watching(town: Town, how: string, what = '"service/shop-*"'): Promise<void> {
  for (const name of ["shop-a", "shop-b"]) town.is(name, well);
  await connects(town, town.developer, own);
  await says(town, `/gantry watch ${what} ${how}`);
  await passes(town, 1);
}

/** It fails, fails in another way, and recovers. */
async function fails(town: Town): Promise<void> {
  town.log.push("line-1");
  town.is("shop-a", crashing("reason-1"));
  await passes(town, 2);
  town.is("shop-a", { ...crashing("reason-2"), restart_count: 9 });
  await passes(town, 2);
  town.is("shop-a", well);
  await passes(town, 3);
}

const stories: Readonly<Record<string, Story>> = {
  "an incident in a channel": { prepare: (town) => watching(town, "--after 0s"), play: fails },
  "an incident in a direct message": {
    prepare: (town) => watching(town, "--after 0s --dm"),
    play: fails,
    isAlike: true,
  },
  "an incident in a channel that is archived for a while": {
    prepare: (town) => watching(town, "--after 0s"),
    async play(town) {
      town.playground.people.archive("ops");
      await fails(town);
      town.playground.people.unarchive("ops");
      await passes(town, 3);
    },
  },
  "a digest": {
    prepare: (town) => watching(town, "--digest daily 14:05"),
    async play(town) {
      town.is("shop-a", crashing("reason-1"));
      await passes(town, 6);
    },
  },
  "a digest in a channel that is archived": {
    prepare: (town) => watching(town, "--digest daily 14:05"),
    async play(town) {
      town.playground.people.archive("ops");
      town.is("shop-a", crashing("reason-1"));
      await passes(town, 6);
    },
  },
  "a restart in a channel": { prepare: restarting, play: restarts, secret: ofLooks, without: ofWatches },
  "a restart in a channel that is archived meanwhile": {
    prepare: restarting,
    async play(town) {
      await says(town, "/gantry restart service/shop-a");
      town.playground.people.archive("ops");
      await fails(town);
    },
    secret: ofLooks,
    without: ofWatches,
  },
  "a followed log": {
    async prepare(town) {
      town.is("shop-a", well);
      await connects(town, town.developer, own);
    },
    play: follows,
  },
  "what somebody does with a watch and a mute": {
    prepare: restarting,
    async play(town) {
      for (const words of ["watch service/shop-a", "mute shop-a 1h", "mute shop-a off", "unwatch service/shop-a"]) {
        town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", times: 1, retryAfterSeconds: 40 });
        await says(town, `/gantry ${words}`);
        await passes(town, 1);
      }
    },
    without: ofPeople,
  },
  "the end of a watch": {
    prepare: (town) => watching(town, "--after 0s", "service/shop-a"),
    play: ends,
    without: ofPeople,
  },
  "the end of a watch in a direct message": {
    prepare: (town) => watching(town, "--after 0s --dm", "service/shop-a"),
    play: ends,
    without: ofPeople,
    isAlike: true,
  },
};

/** Its account is gone, which Gantry notices within ten minutes. */
async function ends(town: Town): Promise<void> {
  await rights["the account is disconnected"].take(town);
  town.playground.faults.answer("chat.postMessage", "429", { times: 1, retryAfterSeconds: 40 });
  await passes(town, 13);
}

async function follows(town: Town): Promise<void> {
  town.log.push("line-1");
  await says(town, "/gantry logs shop-a --follow --for 5m");
  town.log.push("line-2");
  await passes(town, 1);
  const { faults } = town.playground;
  for (const method of ["chat.update", "chat.appendStream", "chat.startStream"]) {
    faults.answer(method, "429", { times: 1, retryAfterSeconds: 40 });
  }
  town.log.push("line-3");
  await passes(town, 1);
  town.log.push("line-4");
  await passes(town, 5);
}

/** A restart, of which the workload gets unwell and then well again. */
async function restarts(town: Town): Promise<void> {
  await says(town, "/gantry restart service/shop-a");
  await passes(town, 1);
  await fails(town);
}

type Right = {
  readonly take: (town: Town) => Promise<void>;
  /** What it protected. */
  readonly secret?: RegExp;
  readonly isIn?: RegExp;
  /** The stories that need it; otherwise all. */
  readonly isOf?: RegExp;
  /** How old facts may be. */
  readonly graceMs?: number;
};

const teamId = "T0PLAYGR";
const dana = { kind: "user", userId: "U0DANA" } as const; // a literal kind
const ops = /^C/u;
const direct = /^D/u;

const policy =
  (...rules: readonly string[]): Right["take"] =>
  async (town) =>
    town.setPolicy(`rules: [${[...rules, all].join(", ")}]`);

/** A digest reads when it is posted, with lists that are at most a minute old. All else was read while the account was allowed to. */
const ofLists = { isOf: /digest/u, graceMs: 60_000 };

type RightName = keyof typeof rights;

const everywhere = "policy hides the workloads";

const rights = {
  [everywhere]: {
    take: policy(`{ name: hidden, who: everyone, does: anything, workloads: { name: "shop-*" }, then: refuse }`),
  },
  "policy hides the workloads in #ops": {
    take: policy(
      `{ name: hidden, who: everyone, where: [C0OPS], does: read, workloads: { name: "shop-*" }, then: refuse }`,
    ),
    isIn: ops,
  },
  "policy hides the workloads in direct messages": {
    take: policy(`{ name: hidden, who: everyone, where: dm, does: anything, then: refuse }`),
    isIn: direct,
  },
  "policy lets nobody watch or read logs": {
    take: policy(`{ name: hidden, who: everyone, does: [watch, getServiceLogs], then: refuse }`),
  },
  "policy lets nobody read logs": {
    take: policy(`{ name: hidden, who: everyone, does: [getServiceLogs], then: refuse }`),
    secret: /line-\w+/gu,
  },
  "the owner is deactivated": {
    async take(town) {
      town.playground.people.deactivate("dana", { signsOut: false });
      await town.until(async () => {
        const [profile] = await town.store().profilesOf(teamId, ["U0DANA"]);
        return profile?.standing === "deactivated";
      });
    },
  },
  "the owner is removed from the channel": {
    take: async (town) => town.playground.people.remove("ops", "dana"),
    isIn: ops,
    graceMs: 60_000,
  },
  "the account is disconnected": {
    async take(town) {
      await town.store().removeAccount(teamId, dana, event("disconnected", { teamId }));
    },
  },
  "another account is connected instead": {
    async take(town) {
      const { username, token } = other;
      const row = { teamId, owner: dana, username };
      const sealedToken = createSealer(readKeyring(town.keys)).seal(token, boundTo(row));
      await town.store().saveAccount({ ...row, sealedToken, linkedBy: "U0DANA" }, event("connected", { teamId }));
    },
  },
  "the workload API answers 401": { take: async (town) => town.refuses(401), ...ofLists },
  "the workload API answers 403": { take: async (town) => town.refuses(403), ...ofLists },
} satisfies Readonly<Record<string, Right>>;

const tells = /^chat\.(?:post|update|start|append|stop)/u;
const words = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([word]) => word);

type Leaking = Pick<Right, "isIn" | "graceMs"> & { readonly secret: RegExp };

/** What a right protected and was told after it was taken. */
function leaks(calls: readonly Call[], made: number, { secret, isIn = /./u, graceMs = 0 }: Leaking): string[] {
  const from = (calls[made - 1]?.atMs ?? 0) + graceMs;
  const counts = ({ atMs }: Call, at: number): boolean => at >= made && atMs >= from;
  const known = (place: string): readonly string[] =>
    calls
      .filter((call, at) => call.isTaken && call.place === place && !counts(call, at))
      .flatMap(({ text }) => words(text, secret));
  return calls
    .filter((call, at) => counts(call, at) && tells.test(call.method) && isIn.test(call.place))
    .flatMap(({ method, place, text }) => {
      // What a message shows already isn't taken back.
      const shown = method === "chat.postMessage" ? [] : known(place);
      return words(text, secret)
        .filter((word) => !shown.includes(word))
        .map((word) => `${method}: ${word}`);
    });
}

/** The calls of a story, and what was told after a right was taken during one of them, by its number. */
async function played({ prepare, play, secret = secrets }: Story, right?: Right, after = 0) {
  const at = await moments();
  await using town = await opened(at);
  await prepare(town);
  const begin = at.calls.length;
  const taken = right && at.during(begin + after, () => right.take(town));
  await play(town);
  // Without a right, it is only counted.
  const leaked = right && taken ? leaks(at.calls, await taken, { secret, ...right }) : [];
  return { calls: at.calls.slice(begin), leaked };
}

/** Calls that tell something, or take time before something is told. */
const isMoment = ({ method }: Call): boolean => tells.test(method) || /^(?:list|get)/u.test(method);

test.each(Object.entries(stories))("%s ends with the right to it, whenever that ends", async (title, story) => {
  const { calls } = await played(story);
  const at = [...calls.entries()].flatMap(([number, call]) => (isMoment(call) ? [number] : []));
  const without: readonly string[] = story.without ?? [];
  const pairs = Object.entries<Right>(rights)
    .filter(([name, { isOf }]) => !without.includes(name) && isOf?.test(title) !== false)
    .flatMap(([name, right]) => at.map((number) => ({ name, right, number })));
  const isClose = ({ name, number }: (typeof pairs)[number]): boolean => {
    if (name === "the workload API answers 401") return calls[number]?.method === "listServices";
    if (name === "policy lets nobody read logs") return calls[number]?.method === "getServiceLogs";
    // Nobody is looked up before the next call.
    return name === everywhere && at.includes(number + 1);
  };
  const close = story.isAlike === true ? [] : someOf(pairs.filter(isClose), 1, 5);
  const found: string[] = [];

  for (const { name, right, number } of new Set([...close, ...someOf(pairs, 60, 400)])) {
    const { leaked } = await played(story, right, number);
    if (leaked.length > 0) found.push(`${name}, during ${number} ${calls[number]?.method}: ${leaked.join(" · ")}`);
  }

  expect(calls.flatMap(({ text }) => words(text, story.secret ?? secrets))).not.toEqual([]);
  expect(found).toEqual([]);
});

test("what somebody did isn't told once the app is installed again that was removed while it was sent", async () => {
  let removes: (() => Promise<void>) | undefined;
  await using bot = await installedBot({
    policy: () => readPolicy(everything, "policy.yaml"),
    wrapStore: (store) => ({
      ...store,
      // The last statement before a message is sent.
      async savePost(...saved) {
        const kept = await store.savePost(...saved);
        const now = removes;
        removes = undefined;
        await now?.();
        return kept;
      },
    }),
  });
  const { playground, accounts, slack } = bot;
  await bot.sets(playground, accounts.playground);
  removes = async () => {
    await slack.playground.installs.uninstall("playground");
    await until(async () => (await bot.store().installationOf(playground.teamId)) === undefined);
  };

  await bot.says(playground.developer, "/gantry watch all");
  const isRemoved = removes === undefined;
  await bot.sets(playground, accounts.playground);
  for (let passed = 0; passed < 3; passed += 1) {
    bot.passMinutes(1);
    await bot.sweep();
  }

  expect(isRemoved).toBe(true);
  expect(playground.approver.sees("ops").filter(({ text }) => text.includes("watches all"))).toEqual([]);
});
