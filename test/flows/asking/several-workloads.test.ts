import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { counting, othersDelete } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { othersApprove } from "../../support/policies.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says } from "../../support/speak.ts";
import type { World, WorldOptions } from "../../support/world.ts";

let town: World;
/** The services that the bot wrote to, in order. */
const writes: string[] = [];
/** What stands between the bot and the workload API in a test. */
let via: NonNullable<WorldOptions["via"]>;
beforeAll(async () => {
  const several = [
    "approved",
    "queue",
    "mailer",
    "cart",
    "search",
    "gone",
    "kept",
    "shop-b",
    "shop-a",
    "shop-c",
    "shop-d",
  ];
  const failing = ["moved-a", "moved-b", "moved-c", "cut", "worker", "hidden", "slow"];
  town = await shopTown([...several, ...failing], {
    via(request, send) {
      const name = /\/services\/([^/?]+)/u.exec(request.url)?.[1];
      if (request.method !== "GET" && name !== undefined) writes.push(name);
      return via(request, send);
    },
  });
});
beforeEach(() => {
  town.setPolicy(openPolicy);
  via = (request, send) => send(request);
  writes.length = 0;
});
afterAll(() => town.close());

describe("one request for several workloads", () => {
  test("is one card that takes one approval, runs one after the other, and has a line with the outcome of each", async () => {
    const { developer, approver } = town;
    town.setPolicy(othersApprove);

    await says(town, developer, '/gantry restart web approved --reason "they leak"');
    const again = await says(town, developer, "/gantry restart web approved");

    expect(again).toContain("Already waiting: Restart web and approved");
    expect(developer.sees("ops").filter(({ text }) => text.includes("⏳ Restart web and approved?"))).toHaveLength(1);
    expect(card(developer)).toMatch(/⏳ Restart web and approved\?\n• web\n• approved\n/u);
    expect(card(developer)).toMatch(/Requested by @dana/u);
    expect(card(developer)).toContain("One after the other. Stops at the first failure.");
    expect(card(developer)).toContain("they leak");
    expect(writes).toEqual([]);

    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["web", "approved"]);
    expect(card(developer)).toMatch(/✅ 2 of 2 restarted\n🟢 web · 2 of 2 running\n🟢 approved · 1 of 1 running\n/u);
    expect(card(developer)).toContain("Alex Kim");
    const thread = town.thread("ops").slice(1).join("\n");
    expect(thread).toMatch(/^[✅🟡] 2 of 2 restarted · @dana$/u);
    await expect(approver.clicks("Approve")).rejects.toThrow(/sees no button "Approve"/u);
  });

  test("leaves out what is as requested already and says so, and is undone by one request, for those that were changed", async () => {
    const { developer } = town;
    const isEach = async (status: string) =>
      (await Promise.all(["mailer", "cart"].map((name) => town.service(name)))).every((each) => each.status === status);
    await says(town, developer, "/gantry stop queue");
    await town.until(async () => (await town.service("queue")).status === "Stopped");

    await says(town, developer, "/gantry stop mailer queue cart");

    expect(writes).toEqual(["queue", "mailer", "cart"]);
    expect(card(developer)).toMatch(
      /[✅🟡] [012] of 2 stopped.*\n(?:⚪️|🟡) mailer · .*\n(?:⚪️|🟡) cart · .*\nLeft out: queue: nothing to do/u,
    );
    await town.until(() => isEach("Stopped"));

    await clicks(town, developer, "Undo");

    await town.until(() => isEach("Running"));
    expect(writes.slice(3)).toEqual(["mailer", "cart"]);
    town.passMinutes(1);
    await town.sweep();
    expect(card(developer)).toContain("✅ 2 of 2 started");
    const undoable = developer.sees("ops").filter(({ text }) => /mailer[^]*cart[^]*\[Undo\]/u.test(text));
    expect(undoable.map(({ text }) => /2 of 2 \w+/u.exec(text)?.[0])).toEqual(["2 of 2 started"]);
  });

  test("skips what was deleted meanwhile and says so, and its history is that of each workload", async () => {
    town.setPolicy(othersApprove);
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart search gone kept");
    await othersDelete(town, "gone");
    await town.until(async () => (await town.services()).every(({ name }) => name !== "gone"));

    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["search", "kept"]);
    expect(card(developer)).toMatch(/⚠️ 2 of 3 restarted: gone changed meanwhile\n/u);
    expect(card(developer)).toMatch(
      /🟢 search · 1 of 1 running\n⚠️ gone · skipped: changed meanwhile\n🟢 kept · 1 of 1 running/u,
    );
    const rows = await says(town, developer, "/gantry history kept");
    expect(rows).toMatch(/Restarted kept.* · by Dana Reyes/u);
    expect(rows).not.toContain("search");
    expect(await says(town, developer, "/gantry history")).toMatch(/Restarted kept[^]*Restarted search/u);
  });

  test("a pattern means every workload that matches, sorted by name, and rejected, nothing is sent", async () => {
    town.setPolicy(othersApprove);
    const { developer, approver } = town;
    const listed = "\n• shop-a\n• shop-b\n• shop-c\n• shop-d\n";

    await says(town, developer, '/gantry restart "shop-*"');
    expect(card(developer)).toContain(`⏳ Restart 4 workloads?${listed}`);
    await approver.clicks("Reject");
    await town.settled();
    await approver.submits({ reason: "not now" });
    await town.settled();

    expect(card(developer)).toContain(
      `🚫 Rejected: restart 4 workloads${listed}Rejected by Alex Kim: "not now" · nothing was changed`,
    );
    expect(writes).toEqual([]);
  });

  test("who may not see one of them doesn't see the request, and a policy that refuses one by then refuses all of it", async () => {
    const { developer, approver } = town;
    const shops = (who: string): string =>
      `{ name: shops are private, who: ${who}, does: anything, workloads: { name: "shop-*" }, then: refuse }`;
    const rules = (who: string): string => `
rules:
  - ${shops(who)}
  - { name: dana asks, who: U0DANA, does: [disruptive], then: { approve: { from: [U0ALEX], expires: 1h } } }
  - { name: all look, who: members, does: read, then: allow }
`;
    town.setPolicy(rules("U0OMAR"));
    await says(town, developer, "/gantry restart web shop-b");

    const omar = await says(town, town.playground.as("omar"), "/gantry pending");
    const alex = await says(town, approver, "/gantry pending");
    expect(omar).not.toContain("shop-b");
    expect(omar).not.toContain("restart web");
    expect(alex).toContain("Restart web and shop-b");

    town.setPolicy(rules("U0DANA"));
    await says(town, approver, `/gantry approve ${idOf(card(developer))}`);

    expect(writes).toEqual([]);
    expect(card(developer)).toMatch(/❌ Nothing was restarted\n[^]*You can't restart “shop-b”/u);
  });
});

describe("one request for several workloads, while the workload API fails or is slow", () => {
  test("stops at the first that fails: the others are not run, and can be asked for", async () => {
    const { developer } = town;
    via = async (request, send) =>
      request.url.includes("/moved-b/restart")
        ? Response.json({ message: "moved-b is being moved" }, { status: 409 })
        : send(request);

    await says(town, developer, "/gantry restart moved-a moved-b moved-c");

    expect(writes).toEqual(["moved-a", "moved-b"]);
    expect(card(developer)).toMatch(/❌ 1 of 3 restarted: moved-b failed\n/u);
    expect(card(developer)).toMatch(
      /🟢 moved-a · 1 of 1 running\n❌ moved-b · .*moved-b is being moved.*\n▫️ moved-c · not run\n/u,
    );

    via = (request, send) => send(request);
    await clicks(town, developer, "Request the other 2");

    expect(writes.slice(2)).toEqual(["moved-b", "moved-c"]);
    expect(card(developer)).toContain("✅ 2 of 2 restarted");
  });

  test("stops where nobody can tell, and sends nothing again", async () => {
    const { developer } = town;
    via = async (request, send) => {
      if (request.method === "GET") return send(request);
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("read"), { code: "ECONNRESET" }) });
    };

    await says(town, developer, "/gantry restart cut worker");

    expect(writes).toEqual(["cut"]);
    expect(card(developer)).toMatch(/❓ 0 of 2 restarted: can't tell about cut\n❓ cut · .+\n▫️ worker · not run\n/u);
  });

  test("doesn't call one gone that the list lacks because the workload API can't look where it is", async () => {
    let isHidden = false;
    via = async (request, send) => {
      const isOfHidden = request.url.includes("/services/hidden");
      if (isHidden && isOfHidden) return Response.json({ message: "its namespace can't be read" }, { status: 503 });
      const answer = await send(request);
      if (isOfHidden && request.method !== "GET") isHidden = true;
      if (!isHidden || !request.url.endsWith("/services")) return answer;
      const list = (await answer.json()) as { services: { name: string }[] }; // as documented
      return Response.json({ ...list, services: list.services.filter(({ name }) => name !== "hidden") });
    };

    await says(town, town.developer, "/gantry restart mailer hidden");

    expect(card(town.developer)).toMatch(/🟡 hidden · couldn't check it: .*its namespace can't be read\./u);
  });

  test("waits for a run of one of them that is under way, and is the only one then", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { developer } = town;
    let looks = 0;
    via = async (request, send) => {
      const isOfSlow = request.url.endsWith("/services/slow");
      if (isOfSlow && request.method === "GET") looks += 1;
      if (isOfSlow && request.method === "PUT") await held;
      return send(request);
    };
    const scaled = counting(town);
    await developer.says("/gantry scale slow 3");
    await town.until(() => scaled("updateService") === 1);

    const before = looks;
    await developer.says("/gantry restart moved-a slow");
    // To propose it; before it is sent, it is read only in its turn.
    await town.until(() => looks === before + 1 && card(developer).includes("Restarting 2 of 2…"));
    const meanwhile = [...writes];
    release();
    await town.settled();
    town.passMinutes(1);
    await town.sweep();

    expect(meanwhile).toEqual(["slow", "moved-a"]);
    expect(writes).toEqual(["slow", "moved-a", "slow"]);
    const cards = developer.sees("ops").map(({ text }) => text);
    expect(cards).toContainEqual(expect.stringMatching(/✅ 2 of 2 restarted\n.*moved-a.*\n.*slow/u));
  });
});
