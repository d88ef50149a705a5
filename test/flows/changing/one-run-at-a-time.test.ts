import { expect, test, describe } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { creates } from "../../support/channel-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { requested } from "../../support/requested.ts";
import { card, idOf, whispers, saysIn } from "../../support/speak.ts";
import { rolloutTown } from "../../support/rollout-town.ts";

/** In minutes: until the next sweeps. */
const A_FEW_SECONDS = 4 / 60;

test.each([
  { asks: "/gantry domains web add shop.example.com", last: "updateService", times: 2, says: /^⏳ .*: waits for /u },
  { asks: '/gantry restart "web*"', last: "restartService", times: 2, says: /^🔄 .*\n⏳ The next one waits for /u },
] as const)(
  "a request waits for another run of its workload without calling the API, and runs seconds after it: $asks",
  async ({ asks, last, times, says }) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let looks = 0;
    await using town = await approvalTown({
      policy: openPolicy,
      async via(request, send) {
        if (request.method === "PUT" && request.url.endsWith("/web")) await held;
        return send(request);
      },
      store: (real) => ({
        ...real,
        async dueKinds() {
          looks += 1;
          return real.dueKinds();
        },
      }),
    });
    const { developer } = town;
    await creates(town, "web-2", "beijing1");
    await developer.says("/gantry scale web 3");
    await town.until(() => count(town, "updateService") === 1);
    await developer.says(asks);
    await town.until(async () => (await requested(town)).length === 2);
    await town.until(() => /shop.example.com|Restarting 1 of 2/u.test(card(developer)));
    const [earlier] = await requested(town);
    await town.until(() => card(developer).includes(`waits for request ${earlier}\n`));
    expect(card(developer)).toMatch(says);

    town.passMinutes(A_FEW_SECONDS);
    const calls = town.calls().length;
    const sweeps: Promise<void>[] = [];
    // One after the other: what a sweep begins would call the API during the next ones.
    for (let turn = 0; turn < 5; turn += 1) {
      const before = looks;
      sweeps.push(town.sweep());
      await town.until(() => looks > before);
    }
    const callsMeanwhile = town.calls().length - calls;
    release();
    await Promise.all(sweeps);
    await town.settled();
    town.passMinutes(A_FEW_SECONDS);
    await town.sweep();
    await town.settled();

    expect(callsMeanwhile).toBe(0);
    expect(card(developer)).not.toContain("waits for");
    expect(count(town, last)).toBe(times);
    expect((await town.service("web")).target_instance_size).toBe(3);
  },
);

test("whoever approves a request that waits for another one reads that it waits", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await using town = await approvalTown({
    async via(request, send) {
      if (request.method === "PUT" && request.url.endsWith("/web")) await held;
      return send(request);
    },
  });
  const { developer, approver } = town;
  await developer.says("/gantry restart web");
  await town.until(() => card(developer).startsWith("⏳ Restart web?"));
  const restart = idOf(card(developer));
  await developer.says("/gantry scale web 3");
  await town.until(() => count(town, "updateService") === 1);
  const [, earlier] = await requested(town);

  await approver.says(`/gantry approve ${restart}`, { channel: "ops" });
  await town.until(() => whispers(approver).length > 0);
  await approver.says(`/gantry approve ${restart}`, { channel: "ops" });
  await town.until(() => whispers(approver).length > 1);
  release();
  await town.settled();

  for (const answer of whispers(approver)) {
    expect(answer).toMatch(
      new RegExp(`^👍 Approved: restart web\\.\\nIt waits for request ${earlier}, and then runs`, "u"),
    );
  }
});

describe.each(["http", "socket"] as const)("two deploys of one service at once, over %s", (transport) => {
  test("the second waits for the first, isn't run, and says what changed meanwhile", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using town = await rolloutTown(["web"], {
      transport,
      async via(request, send) {
        if (request.method === "PUT") await held;
        return send(request);
      },
    });
    const { developer } = town;
    await saysIn(town, { person: developer, channel: "general" }, "/invite @gantry");

    await developer.says("/gantry deploy web 1.5", { channel: "ops" });
    await town.until(() => town.calls().includes("updateService"));
    await developer.says("/gantry deploy web 1.6", { channel: "general" });
    await town.until(() => card(developer, "general").includes("1.6"));
    expect(town.writes).toEqual([]);
    release();
    await town.settled();
    await town.later(60);
    await town.settled();

    expect(town.writes).toEqual(["web 1.5"]);
    expect(card(developer, "ops")).toMatch(/^🔄 Deploying :1\.5 to web…/u);
    expect(card(developer, "general")).toMatch(
      /^⚠️ web changed while this waited\nNothing was run\.\n.*shop\/web:1\.4 when requested → shop\/web:1\.5 now/u,
    );
    expect(card(developer, "general")).toContain("[Request shop/web:1.5 → shop/web:1.6]");
  });
});
