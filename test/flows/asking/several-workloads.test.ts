import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { othersApprove } from "../../support/policies.ts";
import { shopTown, townThat } from "../../support/shop-town.ts";
import { card, clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

describe("one request for several workloads", () => {
  let town: World;
  let writes: string[];
  beforeAll(async () => {
    const names = ["approved", "queue", "mailer", "cart", "search", "gone", "kept", "cart-api", "orders", "report"];
    const shops = ["shop-b", "shop-a", "shop-c", "shop-d"];
    ({ town, writes } = await townThat(() => undefined, [...names, ...shops]));
  });
  afterAll(() => town.close());
  beforeEach(() => {
    town.setPolicy(openPolicy);
    writes.length = 0;
  });

  test("takes one approval, runs one after the other, and has a line with the outcome of each", async () => {
    const { developer, approver } = town;
    town.setPolicy(othersApprove);

    await says(town, developer, '/gantry restart web approved --reason "they leak"');

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

  test("leaves out what is as requested already, and says so", async () => {
    const { developer } = town;
    await says(town, developer, "/gantry stop queue");
    await town.until(async () => (await town.service("queue")).status === "Stopped");

    await says(town, developer, "/gantry stop mailer queue cart");

    expect(writes).toEqual(["queue", "mailer", "cart"]);
    expect(card(developer)).toMatch(
      /[✅🟡] [012] of 2 stopped.*\n(?:⚪️|🟡) mailer · .*\n(?:⚪️|🟡) cart · .*\nLeft out: queue: nothing to do/u,
    );
  });

  test("is undone by one request, for those that were changed", async () => {
    const { developer } = town;
    const states = async () => [(await town.service("cart-api")).status, (await town.service("orders")).status];
    await says(town, developer, "/gantry stop cart-api orders");

    await clicks(town, developer, "Undo");

    await town.until(() => writes.length === 4);
    expect(writes).toEqual(["cart-api", "orders", "cart-api", "orders"]);
    await town.until(async () => (await states()).every((status) => status === "Running"));
    town.passMinutes(1);
    await town.sweep();
    expect(card(developer)).toContain("✅ 2 of 2 started");
    const undoable = developer
      .sees("ops")
      .filter(({ text }) => text.includes("[Undo]") && /cart-api[^]*orders/u.test(text));
    expect(undoable.map(({ text }) => /2 of 2 \w+/u.exec(text)?.[0])).toEqual(["2 of 2 started"]);
  });

  test("skips what was deleted meanwhile, and says so", async () => {
    town.setPolicy(othersApprove);
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart search gone kept");
    const path = { region: "beijing1", service_name: "gone" };
    await town.api.send({ op: "deleteService", path, query: undefined, body: undefined });
    await town.until(async () => (await town.services()).every(({ name }) => name !== "gone"));

    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["search", "kept"]);
    expect(card(developer)).toMatch(/⚠️ 2 of 3 restarted: gone changed meanwhile\n/u);
    expect(card(developer)).toMatch(
      /🟢 search · 1 of 1 running\n⚠️ gone · skipped: changed meanwhile\n🟢 kept · 1 of 1 running/u,
    );
  });

  test("asked for twice, there is one card; rejected, nothing is sent", async () => {
    town.setPolicy(othersApprove);
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart search kept");
    await says(town, developer, "/gantry restart search kept");
    expect(
      developer
        .sees("ops")
        .filter(({ text }) => text.includes("Restart search and kept?") && text.includes("[Approve]")),
    ).toHaveLength(1);

    await approver.clicks("Reject");
    await town.settled();
    await approver.submits({ reason: "not now" });
    await town.settled();

    expect(card(developer)).toMatch(
      /🚫 Rejected: restart search and kept\n• search\n• kept\nRejected by Alex Kim: "not now" · nothing was changed/u,
    );
    expect(writes).toEqual([]);
  });

  test("a pattern means every workload that matches, sorted by name, and the card lists them", async () => {
    town.setPolicy(othersApprove);

    await says(town, town.developer, '/gantry restart "shop-*"');

    expect(card(town.developer)).toMatch(/⏳ Restart 4 workloads\?\n• shop-a\n• shop-b\n• shop-c\n• shop-d\n/u);
    await clicks(town, town.approver, "Approve");
    expect(writes).toEqual(["shop-a", "shop-b", "shop-c", "shop-d"]);
  });

  test("a policy that changes before the approval is asked about each of them", async () => {
    town.setPolicy(othersApprove);
    await says(town, town.developer, "/gantry restart web shop-a");

    const shops = '{ name: shops, who: members, does: [disruptive], workloads: { name: "shop-*" }, then: refuse }';
    town.setPolicy(othersApprove.replace("rules:", `rules:\n  - ${shops}`));
    await clicks(town, town.approver, "Approve");

    expect(writes).toEqual([]);
    expect(card(town.developer)).toMatch(/❌ Nothing was restarted\n[^]*You can't restart “shop-a”/u);
  });

  test("who may not see one of them doesn't see the request", async () => {
    town.setPolicy(`
rules:
  - { name: dana asks, who: U0DANA, does: [disruptive], then: { approve: { from: [U0ALEX], expires: 1h } } }
  - { name: shops are private, who: U0OMAR, does: anything, workloads: { name: "shop-*" }, then: refuse }
  - { name: all look, who: members, does: read, then: allow }
`);
    await says(town, town.developer, "/gantry restart web shop-b");

    const omar = await says(town, town.playground.as("omar"), "/gantry pending");
    const alex = await says(town, town.approver, "/gantry pending");

    expect(omar).not.toContain("shop-b");
    expect(omar).not.toContain("restart web");
    expect(alex).toContain("Restart web and shop-b");
  });

  test("its history is that of each workload", async () => {
    await says(town, town.developer, "/gantry restart kept report");

    const rows = await says(town, town.developer, "/gantry history report");

    expect(rows).toMatch(/report restarted.*requested by Dana Reyes/u);
    expect(rows).not.toContain("kept");
    expect(await says(town, town.developer, "/gantry history kept")).toMatch(
      /kept restarted.*requested by Dana Reyes/u,
    );
    expect(await says(town, town.developer, "/gantry history")).toMatch(/report restarted[^]*kept restarted/u);
  });
});

describe("one request for several workloads, while the workload API fails or is slow", () => {
  test("stops at the first that fails: the others are not run, and can be asked for", async () => {
    let isBroken = true;
    const refuse = (name: string) =>
      isBroken && name === "shop-b" ? Response.json({ message: "shop-b is being moved" }, { status: 409 }) : undefined;
    const { town, writes } = await townThat(refuse, ["shop-a", "shop-b", "shop-c"]);
    await using _town = town;
    const { developer } = town;

    await says(town, developer, "/gantry restart shop-a shop-b shop-c");

    expect(writes).toEqual(["shop-a", "shop-b"]);
    expect(card(developer)).toMatch(/❌ 1 of 3 restarted: shop-b failed\n/u);
    expect(card(developer)).toMatch(
      /🟢 shop-a · 1 of 1 running\n❌ shop-b · .*shop-b is being moved.*\n▫️ shop-c · not run\n/u,
    );

    isBroken = false;
    await clicks(town, developer, "Request the other 2");

    expect(writes).toEqual(["shop-a", "shop-b", "shop-b", "shop-c"]);
    expect(card(developer)).toContain("✅ 2 of 2 restarted");
  });

  test("stops where nobody can tell, and sends nothing again", async () => {
    const { town, writes } = await townThat(
      (name) => {
        if (name !== "web") return undefined;
        throw new TypeError("fetch failed", { cause: Object.assign(new Error("read"), { code: "ECONNRESET" }) });
      },
      ["worker"],
    );
    await using _town = town;

    await says(town, town.developer, "/gantry restart web worker");

    expect(writes).toEqual(["web"]);
    expect(card(town.developer)).toMatch(
      /❓ 0 of 2 restarted: can't tell about web\n❓ web · .+\n▫️ worker · not run\n/u,
    );
  });

  test("doesn't call one gone that the list lacks because the workload API can't look where it is", async () => {
    let isHidden = false;
    const town = await shopTown(["worker"], {
      policy: openPolicy,
      async via(request, send) {
        const isOfWorker = request.url.includes("/services/worker");
        if (isHidden && isOfWorker) return Response.json({ message: "its namespace can't be read" }, { status: 503 });
        const answer = await send(request);
        if (isOfWorker && request.method !== "GET") isHidden = true;
        if (!isHidden || !request.url.endsWith("/services")) return answer;
        const list = (await answer.json()) as { services: { name: string }[] }; // as documented
        return Response.json({ ...list, services: list.services.filter(({ name }) => name !== "worker") });
      },
    });
    await using _town = town;

    await says(town, town.developer, "/gantry restart web worker");
    await town.settled();

    expect(card(town.developer)).toMatch(/🟡 worker · couldn't check it: .*its namespace can't be read\./u);
  });

  test("waits for a run of one of them that is under way, and is the only one then", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const writes: string[] = [];
    let looks = 0;
    await using town = await shopTown(["worker"], {
      policy: openPolicy,
      async via(request, send) {
        const what = request.url.split("/services/")[1] ?? "";
        if (request.method === "GET" && what === "worker") looks += 1;
        if (request.method !== "GET") writes.push(what);
        if (request.method === "PUT" && what === "worker") await held;
        return send(request);
      },
    });
    const { developer } = town;
    await developer.says("/gantry scale worker 3");
    await town.until(() => count(town, "updateService") === 1);

    const before = looks;
    await developer.says("/gantry restart web worker");
    // To propose it, and before it is sent.
    await town.until(() => looks === before + 2 && card(developer).includes("Restarting 2 of 2…"));
    const meanwhile = [...writes];
    release();
    await town.settled();
    town.passMinutes(1);
    await town.sweep();

    expect(meanwhile).toEqual(["worker", "web/restart"]);
    expect(writes).toEqual(["worker", "web/restart", "worker/restart"]);
    expect(
      developer
        .sees("ops")
        .map(({ text }) => text)
        .join("\n"),
    ).toContain("✅ 2 of 2 restarted");
  });
});
