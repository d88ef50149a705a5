import { describe, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { othersApprove } from "../../support/policies.ts";
import { shopTown, townThat } from "../../support/shop-town.ts";
import { card, clicks, says } from "../../support/speak.ts";

describe("one request for several workloads", () => {
  test("takes one approval, runs one after the other, and has a line with the outcome of each", async () => {
    const { town, writes } = await townThat(() => undefined, ["worker"]);
    await using _town = town;
    const { developer, approver } = town;
    town.setPolicy(othersApprove);

    await says(town, developer, '/gantry restart web worker --reason "they leak"');

    expect(card(developer)).toMatch(/⏳ Restart web and worker\?\n• web\n• worker\n/u);
    expect(card(developer)).toMatch(/Requested by @dana/u);
    expect(card(developer)).toContain("One after the other. Stops at the first failure.");
    expect(card(developer)).toContain("they leak");
    expect(writes).toEqual([]);

    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["web", "worker"]);
    expect(card(developer)).toMatch(/✅ 2 of 2 restarted\n🟢 web · 2 of 2 running\n🟢 worker · 1 of 1 running\n/u);
    expect(card(developer)).toContain("Alex Kim");
    const thread = town.thread("ops").slice(1).join("\n");
    expect(thread).toMatch(/^[✅🟡] 2 of 2 restarted · @dana$/u);
    await expect(approver.clicks("Approve")).rejects.toThrow(/sees no button "Approve"/u);
  });

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

  test("leaves out what is as requested already, and says so", async () => {
    const { town, writes } = await townThat(() => undefined, ["worker", "queue"]);
    await using _town = town;
    const { developer } = town;
    await says(town, developer, "/gantry stop worker");
    await town.until(async () => (await town.service("worker")).status === "Stopped");

    await says(town, developer, "/gantry stop web worker queue");

    expect(writes).toEqual(["worker", "web", "queue"]);
    expect(card(developer)).toMatch(
      /[✅🟡] [012] of 2 stopped.*\n(?:⚪️|🟡) web · .*\n(?:⚪️|🟡) queue · .*\nLeft out: worker: nothing to do/u,
    );
    await town.until(async () => (await town.services()).every(({ status }) => status === "Stopped"));
    expect(await says(town, developer, "/gantry stop web worker queue")).toMatch(
      /web, worker, queue are already as requested\. Nothing to do\./su,
    );
    expect(writes).toHaveLength(3);
  });

  test("is undone by one request, for those that were changed", async () => {
    const { town, writes } = await townThat(() => undefined, ["worker"]);
    await using _town = town;
    const { developer } = town;
    await says(town, developer, "/gantry stop web worker");

    await clicks(town, developer, "Undo");

    await town.until(() => writes.length === 4);
    expect(writes).toEqual(["web", "worker", "web", "worker"]);
    await town.until(async () => (await town.services()).every(({ status }) => status === "Running"));
    town.passMinutes(1);
    await town.sweep();
    expect(card(developer)).toContain("✅ 2 of 2 started");
    const undoable = developer.sees("ops").filter(({ text }) => text.includes("[Undo]"));
    expect(undoable.map(({ text }) => /2 of 2 \w+/u.exec(text)?.[0])).toEqual(["2 of 2 started"]);
  });

  test("skips what was deleted meanwhile, and says so", async () => {
    const { town, writes } = await townThat(() => undefined, ["worker", "queue"]);
    await using _town = town;
    town.setPolicy(othersApprove);
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart web worker queue");
    const path = { region: "beijing1", service_name: "worker" };
    await town.api.send({ op: "deleteService", path, query: undefined, body: undefined });
    await town.until(async () => (await town.services()).length === 2);

    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["web", "queue"]);
    expect(card(developer)).toMatch(/⚠️ 2 of 3 restarted: worker changed meanwhile\n/u);
    expect(card(developer)).toMatch(
      /🟢 web · 2 of 2 running\n⚠️ worker · skipped: changed meanwhile\n🟢 queue · 1 of 1 running/u,
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

  test("asked for twice, there is one card; rejected, nothing is sent", async () => {
    const { town, writes } = await townThat(() => undefined, ["worker"]);
    await using _town = town;
    town.setPolicy(othersApprove);
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart web worker");
    await says(town, developer, "/gantry restart web worker");
    expect(developer.sees("ops").filter(({ text }) => text.includes("[Approve]"))).toHaveLength(1);

    await approver.clicks("Reject");
    await town.settled();
    await approver.submits({ reason: "not now" });
    await town.settled();

    expect(card(developer)).toMatch(
      /🚫 Rejected: restart web and worker\n• web\n• worker\nRejected by Alex Kim: "not now" · nothing was changed/u,
    );
    expect(writes).toEqual([]);
  });

  test("names one workload twice, and it is one request for it", async () => {
    const { town, writes } = await townThat(() => undefined, []);
    await using _town = town;

    await says(town, town.developer, "/gantry restart web service/web web");

    expect(writes).toEqual(["web"]);
    expect(card(town.developer)).not.toContain("1 of 1");
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

  test("its history is that of each workload", async () => {
    const { town } = await townThat(() => undefined, ["worker"]);
    await using _town = town;
    await says(town, town.developer, "/gantry restart web worker");

    const rows = await says(town, town.developer, "/gantry history worker");

    expect(rows).toMatch(/worker restarted.*requested by Dana Reyes/u);
    expect(rows).not.toContain("web");
    expect(await says(town, town.developer, "/gantry history web")).toMatch(/web restarted.*requested by Dana Reyes/u);
    expect(await says(town, town.developer, "/gantry history")).toMatch(/worker restarted[^]*web restarted/u);
  });
});
