import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { onCallDecides, othersApprove, quorum } from "../../support/policies.ts";
import { type RolloutTown, rolloutTown } from "../../support/rollout-town.ts";
import { card, clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

const frozenWorker = othersApprove.replace(
  "rules:",
  "rules:\n  - { name: worker is frozen, who: [everyone], does: [disruptive], workloads: { name: worker }, then: refuse }",
);

/** The card of the request for several, wherever it is by now. */
function severalCard({ developer }: World): string {
  const cards = developer.sees("ops").map(({ text }) => text);
  return cards.findLast((text) => text.includes("worker") && /web|queue/u.test(text)) ?? "";
}

describe("a deploy of several workloads", () => {
  test("takes one approval, and goes on with the next one when the one before is healthy", async () => {
    await using town = await rolloutTown(["web", "worker"], { policy: othersApprove });
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web worker 1.5");

    expect(card(developer)).toMatch(
      /^⏳ Deploy :1\.5 to web and worker\?\n• web · shop\/web:1\.4 → :1\.5\n• worker · shop\/worker:1\.4 → :1\.5\nOne after the other, each when the one before is healthy. Stops at the first that doesn't get ready, which goes back automatically.\n/u,
    );
    await clicks(town, approver, "Approve");
    expect(town.writes).toEqual(["web 1.5"]);
    expect(card(developer)).toMatch(
      /^🔄 Deploying :1\.5: 1 of 2…\n0 of 2 healthy\n… web · :1\.5 is starting · 0 of 3 new instances ready/u,
    );
    expect(card(developer)).toMatch(/\n○ worker · shop\/worker:1\.4 → :1\.5\n/u);
    await town.later(4);
    expect(town.writes).toHaveLength(1);

    town.isWell("web");
    await town.later(4);
    expect(town.writes).toEqual(["web 1.5", "worker 1.5"]);
    expect(card(developer)).toMatch(
      /^🔄 Deploying :1\.5: 2 of 2…\n1 of 2 healthy\n✓ web · runs :1\.5 · 3 of 3 running\n… worker · :1\.5 is starting/u,
    );

    town.isWell("worker");
    await town.later(4);
    expect(card(developer)).toMatch(
      /^✅ 2 of 2 deployed\n🟢 web · runs :1\.5 · 3 of 3 running\n🟢 worker · runs :1\.5 · 3 of 3 running\n/u,
    );
    expect(town.writes).toHaveLength(2);

    await clicks(town, developer, "Roll back");
    expect(card(developer)).toMatch(/^⏳ Roll back web and worker to :1\.4\?\n/u);
    await clicks(town, approver, "Approve");
    town.isWell("web");
    await town.later(4);
    town.isWell("worker");
    await town.later(4);
    expect(town.writes.slice(2)).toEqual(["web 1.4", "worker 1.4"]);
    expect(card(developer)).toMatch(/^✅ 2 of 2 rolled back to :1\.4\n🟢 web · runs :1\.4 · /u);
  });

  test("stops at the first that doesn't get ready, takes that one back, and says which version each runs", async () => {
    await using town = await rolloutTown(["web", "worker", "queue"]);
    const { developer } = town;
    await says(town, developer, "/gantry deploy web worker queue 1.5");
    town.isWell("web");
    await town.later(4);
    town.isStuck("worker", "no such image");
    await town.later(4);
    await town.settled();

    expect(town.writes).toEqual(["web 1.5", "worker 1.5", "worker 1.4"]);
    expect(severalCard(town)).toMatch(
      /\n[🔴✗] worker · going back to :1\.4 · :1\.5: its new instances can't pull their images/u,
    );
    town.isWell("worker");
    await town.later(4);
    await town.later(4);
    expect(severalCard(town)).toMatch(
      /^❌ 1 of 3 deployed: worker went back\n🟢 web · runs :1\.5 · 3 of 3 running\n❌ worker · went back to :1\.4 · :1\.5: its new instances can't pull their images.*no such image.*\n▫️ queue · not run, still on :1\.4\n/u,
    );
    expect(severalCard(town)).toMatch(/\[Roll back\].*\[Request the other 2\]/su);
    await town.later(60);
    await town.later(600);
    expect(town.writes).toHaveLength(3);

    await clicks(town, developer, "Request the other 2");
    expect(card(developer)).toMatch(/^🔄 Deploying :1\.5: 1 of 2…\n0 of 2 healthy\n… worker · .*\n○ queue · /u);
    expect(town.writes.slice(3)).toEqual(["worker 1.5"]);
  });

  test("leaves the one that fails as it is where that was asked for, and takes back all that it changed by a button", async () => {
    await using town = await rolloutTown(["web", "worker", "queue"]);
    const { developer } = town;
    await says(town, developer, '/gantry deploy web "w*" queue 1.5 --on-failure stop');
    town.isWell("web");
    await town.later(4);
    town.isStuck("worker", "no such image");
    await town.later(4);

    expect(town.writes).toEqual(["web 1.5", "worker 1.5"]);
    expect(card(developer)).toMatch(/^🔴 1 of 3 deployed: worker isn't healthy\n/u);
    await clicks(town, developer, "Roll back");
    town.isWell("web");
    await town.later(4);
    expect(town.writes.slice(2)).toEqual(["web 1.4", "worker 1.4"]);
  });

  test("says of one that stopped it and got healthy later that it runs, and which weren't run", async () => {
    await using town = await rolloutTown(["web", "worker", "queue"]);
    const { developer } = town;
    await says(town, developer, '/gantry deploy web "w*" queue 1.5 --on-failure stop');
    town.isWell("web");
    await town.later(4);
    town.isStuck("worker", "no such image");
    await town.later(4);
    town.isWell("worker");
    for (let minutes = 0; minutes < 12; minutes += 1) await town.later(60);

    expect(town.writes).toEqual(["web 1.5", "worker 1.5"]);
    expect(card(developer)).toMatch(/^🟡 2 of 3 deployed: queue wasn't run\n/u);
    expect(card(developer)).toMatch(/🟢 worker · runs :1\.5/u);
    expect(town.thread("ops").join("\n")).toMatch(
      /🔴 worker: its new instances can't pull their images[\s\S]*🟢 worker got healthy/u,
    );
  });

  test("of several that fail one after the other, the card has the last lines of the first", async () => {
    await using town = await rolloutTown(["web", "worker"], { settings: { healthyAfterMs: 60_000 } });
    await says(town, town.developer, "/gantry restart web worker");
    const failed = { status: "Failed", ready_instances: 0 };
    town.nowIs("web", failed);
    await town.later(16);
    expect(town.calls().filter((op) => op === "getServiceLogs")).toHaveLength(1);
    town.nowIs("worker", failed);
    for (let minutes = 0; minutes < 12; minutes += 1) await town.later(60);

    expect(card(town.developer)).toMatch(/🔴 web[\s\S]*🔴 worker/u);
    expect(town.calls().filter((op) => op === "getServiceLogs")).toHaveLength(2);
    expect(card(town.developer)).toContain("Last errors of web\n```\nno database\n```");
    expect(town.thread("ops").slice(1)).toEqual([
      expect.stringMatching(/^🔴 web/u),
      expect.stringMatching(/^🔴 worker/u),
    ]);
  });

  test("those that were changed are polled with one list", async () => {
    await using town = await rolloutTown(["web", "worker"], { settings: { healthyAfterMs: 60_000 } });
    await says(town, town.developer, "/gantry restart web worker");
    const before = town.calls().length;
    await town.later(16);
    await town.later(61);

    expect(card(town.developer)).toMatch(/web · .* 3 of 3 running for 60 s\n.*worker · .* 3 of 3 running for 60 s/u);
    expect(town.calls().slice(before)).toEqual(["listServices", "listServices"]);
  });

  test("goes on after one that is stopped", async () => {
    await using town = await rolloutTown(["web", "worker", "queue"]);
    town.nowIs("worker", { status: "Stopped", ready_instances: 0 });
    await says(town, town.developer, '/gantry deploy web "w*" queue 1.5');
    town.isWell("web");
    await town.later(4);
    town.nowIs("worker", { status: "Stopped", ready_instances: 0 });
    await town.later(4);
    town.isWell("queue");
    await town.later(4);

    expect(town.writes).toEqual(["web 1.5", "worker 1.5", "queue 1.5"]);
    expect(card(town.developer)).toMatch(/⚪️ worker · :1\.5 · stopped · runs when it is started/u);
  });

  test("shows its progress in lines where Slack refuses plans", async () => {
    await using town = await rolloutTown(["web", "worker"]);
    town.playground.faults.answer("all", "plans");
    await says(town, town.developer, "/gantry deploy web worker 1.5");
    await town.later(4);

    expect(card(town.developer)).toMatch(
      /^🔄 Deploying :1\.5: 1 of 2…\n🟡 web · :1\.5 is starting .*\n⏳ worker · shop\/worker:1\.4 → :1\.5\nOne after the other/u,
    );
    town.isWell("web");
    await town.later(4);
    town.isWell("worker");
    await town.later(4);
    expect(card(town.developer)).toContain("✅ 2 of 2 deployed\n🟢 web · runs :1.5");
  });

  test("stops at one that somebody else changed meanwhile", async () => {
    await using town = await rolloutTown(["web", "worker", "queue"]);
    await says(town, town.developer, "/gantry deploy web worker queue 1.5");
    town.othersDeploy("worker", "shop/worker:9");
    town.isWell("web");
    await town.later(4);

    expect(town.writes).toEqual(["web 1.5"]);
    expect(card(town.developer)).toMatch(
      /^⚠️ 1 of 3 deployed: worker changed meanwhile\n🟢 web · .*\n⚠️ worker · skipped: changed meanwhile\n▫️ queue · not run, still on :1\.4\n/u,
    );
  });

  test("goes on from what is stored when the bot is killed in between, and sends nothing twice", async () => {
    await using town = await rolloutTown(["web", "worker"]);
    await says(town, town.developer, "/gantry deploy web worker 1.5");
    await town.crashBot();
    await town.later(4);
    expect(town.writes).toEqual(["web 1.5"]);

    town.isWell("web");
    await town.later(30);
    await town.restartBot();
    await town.later(4);
    expect(town.writes).toEqual(["web 1.5", "worker 1.5"]);
    town.isWell("worker");
    await town.later(4);
    expect(card(town.developer)).toContain("✅ 2 of 2 deployed");
  });
});

describe("before the next workload of a deploy, policy and people are asked again", () => {
  let town: RolloutTown;
  beforeAll(async () => {
    town = await rolloutTown(["web", "worker", "queue", "api", "cron", "shop", "cart", "docs", "blog"]);
  });
  beforeEach(() => town.setPolicy(othersApprove));
  afterAll(async () => town.close());

  /** The services that are changed from now on, with their versions. */
  function writing(): () => readonly string[] {
    const before = town.writes.length;
    return () => town.writes.slice(before);
  }

  test("doesn't deploy the next one when the policy was changed meanwhile to refuse it", async () => {
    const writes = writing();
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web worker queue 1.5");
    await clicks(town, approver, "Approve");
    town.setPolicy(frozenWorker);
    town.isWell("web");
    await town.later(4);

    expect(writes()).toEqual(["web 1.5"]);
    expect(card(developer)).toMatch(
      /^❌ 1 of 3 deployed: worker wasn't run\n🟢 web · runs :1\.5 · .*\n❌ worker · not run, still on :1\.4 · Dana Reyes may no longer do this\. .*worker is frozen.*\n▫️ queue · not run, still on :1\.4\n/u,
    );
    expect(await says(town, developer, "/gantry history worker")).toMatch(
      /The image of worker wasn't changed: Dana Rey/u,
    );
    await town.later(60);
    expect(writes()).toHaveLength(1);
  });

  test("doesn't deploy the next one when the policy wants more approvals by then, and deploys it when it has them", async () => {
    const writes = writing();
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy api cron 1.5");
    await clicks(town, approver, "Approve");
    town.setPolicy(quorum);
    town.isWell("api");
    await town.later(4);

    expect(writes()).toEqual(["api 1.5"]);
    expect(card(developer)).toMatch(
      /❌ cron · not run, still on :1\.4 · The policy changed since the request\. 1 more approval is needed\./u,
    );
    await clicks(town, developer, "Request cron only");
    await clicks(town, approver, "Approve");
    await clicks(town, town.playground.as("omar"), "Approve");
    expect(writes()).toEqual(["api 1.5", "cron 1.5"]);
  });

  test("waits with the next one while Slack doesn't say who may approve, and goes on when it does", async () => {
    town.setPolicy(onCallDecides);
    const writes = writing();
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy shop cart 1.5");
    await clicks(town, approver, "Approve");
    town.playground.faults.answer("usergroups.users.list", "500");
    town.isWell("shop");
    await town.later(60);
    expect(writes()).toEqual(["shop 1.5"]);

    town.playground.faults.clear();
    await town.later(60);
    expect(writes()).toEqual(["shop 1.5", "cart 1.5"]);
  });

  test("doesn't deploy the next one for somebody who has left meanwhile", async () => {
    const writes = writing();
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy docs blog 1.5");
    await clicks(town, approver, "Approve");
    town.playground.people.deactivate("dana");
    town.isWell("docs");
    await town.later(20);
    town.playground.people.reactivate("dana");

    expect(writes()).toEqual(["docs 1.5"]);
    expect(card(approver)).toMatch(/❌ blog · not run, still on :1\.4 · Dana Reyes may no longer do this\./u);
  });
});

test("a rollback that doesn't get ready stays, and doesn't lead to another one", async () => {
  await using town = await rolloutTown(["web"]);
  await says(town, town.developer, "/gantry deploy web 1.5");
  town.isStuck("web", "no such image");
  await town.later(4);
  await town.settled();
  town.isStuck("web", "no such disk");
  await town.later(4);
  await town.settled();
  await town.later(60);

  expect(town.writes).toEqual(["web 1.5", "web 1.4"]);
});
