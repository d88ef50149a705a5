import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { operationOf } from "../../support/operation-of.ts";
import { card, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

type Town = World & {
  /** What the workload API reports of web from now on. */
  readonly nowIs: (fields: object) => void;
  /** A replica looks for what has to be carried on, so many minutes later. */
  readonly later: (minutes: number) => Promise<void>;
  /** The API calls since the write. */
  readonly looks: () => number;
};

const runs = { status: "Running", ready_instances: 2, target_instance_size: 2, restarts: { count: 0 } };
const crashes = {
  status: "Running",
  ready_instances: 2,
  restart_count: 5,
  restarts: { count: 5, first_at: "2026-11-21T12:00:00Z", last_at: "2026-11-21T12:04:00Z" },
  last_state: { reason: "Error", exit_code: 1 },
};

type Reporting = {
  readonly isLate?: boolean;
  /** It doesn't report how many instances are ready. */
  readonly isUncounted?: boolean;
};

/** A town whose workload API reports one service, web, as the test says. Updates show at once, unless they are late. */
async function townWithWeb({ isLate = false, isUncounted = false }: Reporting = {}): Promise<Town> {
  const containers = [{ name: "c", image: "gantry/hello-web" }];
  const uncounted = { status: "Running", target_instance_size: 2 };
  let web: object = { name: "web", uid: "u1", containers, ...(isUncounted ? uncounted : runs) };
  let lookedFrom = 0;
  const answer = async (request: Request): Promise<Response> => {
    const op = operationOf(request);
    if (op === "listServices") return Response.json({ services: [web] });
    if (op === "listJobs") return Response.json({ jobs: [] });
    if (op === "getServiceLogs") {
      return Response.json([{ instance_name: "web-0", log: "lost the connection, password=hunter2" }]);
    }
    // As an API does that sends the time of the last change of status.
    if (op === "restartService" && "status_since" in web) web = { ...web, status_since: "2026-11-21T12:04:00Z" };
    if (request.method === "PUT" || request.method === "POST") {
      lookedFrom = town.calls().length;
      const { target_instance_size: size } = (await request.json().catch(() => ({}))) as {
        target_instance_size?: number;
      }; // the body of a scale
      if (size !== undefined && !isLate) {
        web = { ...web, target_instance_size: size, ...(!isUncounted && { ready_instances: size }) };
      }
    }
    return Response.json(web);
  };
  const town: World = await world({
    policy: openPolicy,
    settings: { healthyAfterMs: 60_000 },
    apiFetch: answer,
    wait: () => turn(),
  });
  return {
    ...town,
    nowIs: (fields) => void (web = { ...web, ...fields }),
    async later(minutes) {
      town.passMinutes(minutes);
      await town.sweep();
    },
    looks: () => town.calls().length - lookedFrom,
  };
}

const headlineOf = (town: World): string => card(town.developer).split("\n")[0] ?? "";
const factsOf = (town: World): string => card(town.developer).split("\n")[1] ?? "";
const historyOf = (town: World) => town.store().history({ teamId: "T0PLAYGR", limit: 20 });

describe("a changed service", () => {
  test("is amber at once, green after a minute, and looked at once more, in no lane and with four calls", async () => {
    await using town = await townWithWeb();

    await says(town, town.developer, "/gantry scale web 3");

    expect(card(town.developer)).toMatch(/^🟡 web scaled to 3\n3 of 3 ready, watching for 60 s · /u);
    // It is answered once no lane holds anything any more.
    expect(town.looks()).toBe(1);
    await town.sweep();
    expect(town.looks()).toBe(1);

    await town.later(0.25);
    expect(headlineOf(town)).toBe("🟡 web scaled to 3");
    expect(await says(town, town.developer, "/gantry history web")).toContain("🟡 Scaled web to 3");
    await town.later(1);
    expect(card(town.developer)).toMatch(/^✅ web scaled to 3\n3 of 3 running for 60 s · /u);
    expect(await says(town, town.developer, "/gantry history web")).toContain("✅ Scaled web to 3");

    await town.later(9);
    await town.later(60);
    expect(headlineOf(town)).toBe("✅ web scaled to 3");
    expect(town.looks()).toBe(4);
    expect(town.thread("ops")).toHaveLength(1);
  });

  test("whose ready instances aren't counted is amber at once, looked at two seconds later, and green a minute after that", async () => {
    await using town = await townWithWeb({ isUncounted: true });

    await says(town, town.developer, "/gantry scale web 3");
    expect(card(town.developer)).toMatch(/^🟡 web scaled to 3\nRunning, watching for 60 s · /u);
    expect(town.looks()).toBe(1);

    await town.later(0.04);
    expect(town.looks()).toBe(2);
    await town.later(0.99);
    expect(headlineOf(town)).toBe("🟡 web scaled to 3");
    await town.later(0.05);
    expect(card(town.developer)).toMatch(/^✅ web scaled to 3\nRunning after 60 s · restarts not reported · /u);
  });

  test("whose ready instances aren't counted, and whose status was from before the change, is red two seconds later", async () => {
    await using town = await townWithWeb({ isUncounted: true });
    await says(town, town.developer, "/gantry scale web 3");

    town.nowIs({ status: "CrashLoopBackOff" });
    await town.later(0.04);

    expect(headlineOf(town)).toBe("🔴 web scaled to 3, but keeps crashing");
  });

  test("that is changed again while it is followed says so at once, on its card and in history", async () => {
    await using town = await townWithWeb();
    await says(town, town.developer, "/gantry scale web 3");
    await says(town, town.developer, "/gantry scale web 4");
    await town.sweep();

    const cards = town.developer.sees("ops").map(({ text }) => text);
    expect(cards).toContainEqual(
      expect.stringMatching(/^⚪️ web scaled to 3, but was scaled by request \w+ meanwhile/u),
    );
    expect(cards).toContainEqual(expect.stringMatching(/^🟡 web scaled to 4\n4 of 4 ready, watching for 60 s/u));
    const history = await says(town, town.developer, "/gantry history web");
    expect(history).toMatch(/🟡 Scaled web to 4 · [^]*⚪️ Scaled web to 3, but it was scaled by request \w+ meanwhile/u);
    expect(history).not.toContain("3 of 3");
    const looks = town.looks();
    await town.sweep();
    expect(town.looks()).toBe(looks);
  });

  test.each([
    ["scale web 0", "scaled"],
    ["stop web", "stopped"],
    ["restart web", "restarted"],
  ])("that is restarted, and then %s is typed", async (next, done) => {
    await using town = await townWithWeb();
    await says(town, town.developer, "/gantry restart web");
    await says(town, town.developer, `/gantry ${next}`);
    await town.sweep();

    const [restart] = town.developer.sees("ops");
    const [, by] = (await historyOf(town)).filter(({ kind }) => kind === "requested").toReversed();
    const overtaken = `it was ${done} by request ${by?.changeId} meanwhile`;
    expect(restart?.text.split("\n")[0]).toBe(`⚪️ Restart of web accepted, but ${overtaken}`);
    expect(await says(town, town.developer, "/gantry history web")).toContain(
      `⚪️ Restart of web accepted, but it was ${done} by request ${by?.changeId}`,
    );
  });

  test("that is restarted, and then scaled before it was healthy, is green once all its instances are", async () => {
    await using town = await townWithWeb();
    town.nowIs({ status_since: "2026-11-21T12:00:00Z" });
    await says(town, town.developer, "/gantry restart web");
    await says(town, town.developer, "/gantry scale web 3");
    await town.sweep();
    expect(town.developer.sees("ops")[0]?.text).toMatch(/^🟡 web restarted\n/u);

    await town.later(0.25);
    await town.later(1.1);

    expect(town.developer.sees("ops")[0]?.text).toMatch(/^✅ web restarted\n3 of 3 running for 60 s/u);
    expect(await says(town, town.developer, "/gantry history web")).toMatch(/✅ Scaled web to 3[^]*✅ Restarted web/u);
  });

  test("that is restarted, and then gets a domain, is watched until the restart is healthy", async () => {
    await using town = await townWithWeb();
    await says(town, town.developer, "/gantry restart web");
    await says(town, town.developer, "/gantry domains web add shop.example.com");
    await town.later(0.25);
    await town.later(1);

    const [restart] = town.developer.sees("ops");
    expect(restart?.text).toMatch(/^🟡 Restart of web accepted\n2 of 2 running for 60 s/u);
  });

  test.each([
    {
      after: "its channel was archived",
      happens: ({ playground }: World) => playground.people.archive("ops"),
      headline: "✅ web scaled to 3",
      why: "can't be updated: the channel is archived",
    },
    {
      // An edited card notifies nobody.
      after: "its thread was closed",
      happens: ({ playground }: World) =>
        playground.faults.answer("chat.postMessage", { error: "restricted_action" }, { channel: "ops" }),
      headline: "🔴 web scaled to 3, but keeps crashing",
      why: "couldn't post this in the card's thread in #ops: posting in the channel is restricted",
    },
  ])("that fails after $after is told to its requester in a direct message, once", async ({ happens, ...told }) => {
    await using town = await townWithWeb();
    await says(town, town.developer, "/gantry scale web 3");
    await town.later(0.25);
    await town.later(1);
    happens(town);

    town.nowIs({ ...crashes, ready_instances: 3 });
    for (const minutes of [9, 0.5, 5]) await town.later(minutes);

    expect(headlineOf(town)).toBe(told.headline);
    const [news = "", ...more] = town.developer.sees("@gantry").map(({ text }) => text);
    expect(news).toMatch(/^🔴 web scaled to 3, but keeps crashing/u);
    expect(news).toContain(told.why);
    expect(more).toEqual([]);
  });

  test("that fails minutes later turns red, once, with the last errors, and its requester is mentioned", async () => {
    await using town = await townWithWeb();
    await says(town, town.developer, "/gantry scale web 3");
    await town.later(0.25);
    await town.later(1);
    expect(headlineOf(town)).toBe("✅ web scaled to 3");

    town.nowIs({ ...crashes, ready_instances: 3 });
    // Whoever followed it is gone.
    await town.crashBot();
    await town.later(9);

    expect(headlineOf(town)).toBe("🔴 web scaled to 3, but keeps crashing");
    expect(factsOf(town)).toMatch(/^Exit 1, 5 restarts in 4 min · /u);
    const [lines, told, ...more] = town.thread("ops");
    expect(more).toEqual([]);
    expect(told).toMatch(/^🔴 web keeps crashing · .*exit 1, 5 restarts.* · @dana$/u);
    expect(lines).toContain("lost the connection");
    expect(lines).not.toContain("hunter2");
    expect(await says(town, town.developer, "/gantry history web")).toContain("🔴 Scaled web to 3");
    const kinds = (await historyOf(town)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "health")).toHaveLength(1);
    expect(town.looks()).toBeLessThanOrEqual(6);

    await town.later(10);
    expect(town.thread("ops")).toHaveLength(2);
  });

  test("is left alone by a second replica, and followed on by the next bot", async () => {
    await using town = await townWithWeb();
    await says(town, town.developer, "/gantry scale web 3");

    await town.restartBot();
    await town.sweep();
    expect(town.looks()).toBe(1);
    await town.later(1.1);

    expect(headlineOf(town)).toBe("✅ web scaled to 3");
  });
});

describe("a change that was accepted and isn't visible yet", () => {
  test("is corrected when it shows: its card, its history and the workload agree", async () => {
    await using town = await townWithWeb({ isLate: true });

    await says(town, town.developer, "/gantry scale web 3");
    expect(card(town.developer)).toMatch(/^🟡 .*: accepted, not visible yet\nInstances still 2 · /u);
    expect(await says(town, town.developer, "/gantry history web")).toMatch(/🟡 .*accepted, not visible yet/u);

    town.nowIs({ target_instance_size: 3, ready_instances: 3 });
    await town.later(0.25);
    expect(card(town.developer)).toMatch(/^🟡 web scaled to 3\n3 of 3 ready, watching for 60 s · /u);
    await town.later(1.1);
    expect(headlineOf(town)).toBe("✅ web scaled to 3");
    const [newestEvent] = await historyOf(town);
    expect(newestEvent).toMatchObject({ kind: "confirmed", result: "took effect" });
  });
});
