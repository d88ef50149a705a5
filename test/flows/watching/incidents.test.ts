import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { says } from "../../support/speak.ts";
import { crashing, watchedTown, well } from "../../support/watched-town.ts";

const isReply = (text: string): boolean => text.startsWith("↳");

test("a service that keeps crashing is told once, with its last lines, and so is its recovery", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web");

  town.is("web", crashing);
  await town.passes(1);
  expect(town.told()).toEqual([]);
  await town.passes(3);
  const [card, lines, ...more] = town.told();

  expect(card).toMatch(/^🔴 web keeps crashing: lost the database password=\[redacted\]$/mu);
  expect(card).toMatch(/exit 3, 4 restarts in 60 s · 0 of 1 ready/u);
  expect(lines).toMatch(/^↳ Last lines of web[^]*lost the database password=\[redacted\]/u);
  expect(more).toEqual([]);

  await town.passes(1);
  town.is("web", { ...well, restart_count: 6 });
  await town.passes(2);
  const [after, , news, ...rest] = town.told();

  expect(after).toMatch(/^🟢 web recovered after 5 min$/mu);
  expect(news).toBe("↳ 🟢 web recovered after 5 min");
  expect(rest).toEqual([]);
});

test("the last lines are of the instance that the reason names, not of the one that wrote last", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  await town.passes(1);
  town.is("web", { status: "Failed", ready_instances: 0, message: "web-2 doesn't answer on its port" });

  await town.passes(1);

  const lines = town.told().find((text) => text.startsWith("↳ Last lines"));
  expect(lines).toContain("no settings");
  expect(lines).not.toContain("lost the database");
});

test.each([
  ["our own workload API says which instances exist", true, "no settings", 1],
  ["another doesn't, so it isn't asked", false, "lost the database", 0],
])("the last lines are of an instance that exists: %s", async (_, isOurs, lines, reads) => {
  const asked: string[] = [];
  await using town = await watchedTown({
    async via(request, answer) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const isInfo = isOurs && pathname.endsWith("/healthz");
      return isInfo ? Response.json({ engine: { title: "Test", regions: [] } }) : answer(request);
    },
  });
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  asked.length = 0;

  town.is("web", { ...crashing, instance_names: ["web-2"], containers: [{ env: [] }] });
  await town.passes(2);

  expect(town.told().find((text) => text.startsWith("↳ Last lines"))).toContain(lines);
  expect(asked.filter((path) => path.endsWith("/services/web"))).toHaveLength(reads);
});

test("what is over within two minutes isn't told, what comes back is", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web");

  town.is("web", crashing);
  await town.passes(1);
  town.is("web", well);
  await town.passes(4);
  expect(town.told()).toEqual([]);

  town.is("web", crashing);
  await town.passes(1);
  const [card] = town.told();
  expect(card).toMatch(/^Since .+ · 2 times$/mu);

  town.is("web", well);
  await town.passes(1);
  town.is("web", crashing);
  await town.passes(1);
  const all = town.told();
  expect(all.filter((text) => !isReply(text))).toHaveLength(1);
  expect(all[0]).toMatch(/^Since .+ · 3 times$/mu);
  expect(all.filter(isReply).slice(1)).toEqual([
    "↳ 🟢 web recovered after 6 min",
    expect.stringMatching(/^↳ ⚠️ web failed again · 3 times since /u),
  ]);
});

test("a storm with one cause is one card that lists what fails, and what doesn't any more", async () => {
  await using town = await watchedTown();
  const names = Array.from({ length: 30 }, (_, at) => `shop-${at + 10}`);
  const noImage = {
    status: "Starting",
    message: 'ErrImagePull: can\'t pull image "registry.example.com/shop:2"',
    restart_count: 0,
  };
  for (const name of names) town.is(name, well);
  await town.watches("shop-*", { afterMs: 0 });

  for (const name of names) town.is(name, noImage);
  await town.passes(1);
  const [card, ...more] = town.told();
  expect(card).toMatch(/^🔴 30 workloads can't pull their images from registry\.example\.com$/mu);
  expect(card).toMatch(/^and 20 more$/mu);
  expect(more).toEqual([]);

  for (const name of names.slice(1)) town.is(name, well);
  await town.passes(2);
  const [later] = town.told();
  expect(later).toMatch(/^🔴 1 of 30 workloads can't pull its image from registry\.example\.com$/mu);
  expect(later).toMatch(/^🔴 shop-10 · can't pull its image$/mu);

  town.is("shop-10", undefined);
  await town.passes(2);
  expect(town.told()[0]).toMatch(/^⚪️ 30 workloads: 29 recovered, 1 deleted$/mu);
});

test("a card of several is muted once all that still fail are", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  const names = ["shop-1", "shop-2", "shop-3"];
  for (const name of names) town.is(name, well);
  await town.watches("shop-*", { afterMs: 0 });
  for (const name of names) town.is(name, { ...crashing, message: 'can\'t pull image "r.io/shop:2"' });
  await town.passes(1);
  for (const name of ["shop-1", "shop-2"]) await says(town, town.developer, `/gantry mute ${name}`);
  await town.passes(1);
  expect(town.told()[0]).not.toContain("Muted until");

  town.is("shop-3", well);
  await town.passes(2);

  expect(town.told()[0]).toMatch(/^🔕 Muted until /mu);
});

test("a workload API that doesn't answer is one card, and workloads stay as they were seen last", async () => {
  await using town = await watchedTown();
  town.is("web", crashing);
  await town.watches("*", { afterMs: 0 });
  await town.passes(1);
  town.setAway(true);
  await town.passes(4);

  const cards = town.told().filter((text) => !isReply(text));
  expect(cards.map((text) => text.split("\n")[0])).toEqual([
    "🔴 web keeps crashing: lost the database password=[redacted]",
    "🔴 The workload API doesn't answer",
  ]);
  expect(cards[1]).toMatch(/I can't see (?:services in beijing1, jobs in us|jobs in us, services in beijing1)\./u);

  town.setAway(false);
  await town.passes(2);
  const after = town.told().filter((text) => !isReply(text));
  expect(after.map((text) => text.split("\n")[0])).toEqual([
    "🔴 web keeps crashing: lost the database password=[redacted]",
    "🟢 The workload API answers again after 4 min",
  ]);
});

test.each([
  [429, "takes no more calls"],
  [403, "refuses to list"],
])("a workload API that answers %i is told for what it does", async (status, words) => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  town.setAway(status);

  await town.passes(5);
  expect(town.told()[0]).toMatch(new RegExp(`^🔴 The workload API ${words}$`, "mu"));

  town.setAway(false);
  await town.passes(3);
  expect(town.told()[0]).toMatch(/^🟢 The workload API answers again after /mu);
});

test("a second service that crashes half a minute later is a message of its own", async () => {
  await using town = await watchedTown();
  for (const name of ["web", "api"]) town.is(name, well);
  await town.watches("*", { afterMs: 0 });

  town.is("web", crashing);
  await town.passes(1);
  town.is("api", crashing);
  await town.passes(1);

  const cards = town.told().filter((text) => !isReply(text));
  expect(cards.map((text) => text.split("\n")[0])).toEqual([
    "🔴 web keeps crashing: lost the database password=[redacted]",
    "🔴 api keeps crashing: lost the database password=[redacted]",
  ]);
});

test("what flaps all day is one message that counts, and its thread falls silent", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  for (let times = 0; times < 8; times += 1) {
    town.is("web", crashing);
    await town.passes(1);
    town.is("web", well);
    await town.passes(1);
  }

  const all = town.told();
  expect(all.filter((text) => !isReply(text))).toEqual([expect.stringMatching(/^🟢 web recovered[^]*8 times/u)]);
  expect(all.filter((text) => isReply(text) && !text.includes("Last lines")).length).toBeLessThanOrEqual(5);
});

test("one list for all watches, at most one round each ten seconds", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  for (const names of ["web", "*", "w*"])
    await town.watches(names, { target: { kind: "service", names, region: "beijing1" } });
  const before = town.lists();

  await town.sweep();
  await town.sweep();
  expect(town.lists() - before).toBe(0);
  await town.passes(3);
  expect(town.lists() - before).toBe(3);
});

test("what a round finds is told at once, what fails in both lists in one message", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  town.isJob("report", { status: { active: 1 } });
  await town.watches("*", { afterMs: 0 });

  town.is("web", crashing);
  town.isJob("report", { status: { failed: 1, conditions: [{ type: "Failed", status: "True" }] } });
  town.passMinutes(1);
  await town.sweep();

  const [card, ...more] = town.told().filter((text) => !isReply(text));
  expect(card).toMatch(/web[^]*report|report[^]*web/u);
  expect(more).toEqual([]);
});

test("what happened while nobody looked is told once, as that", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  await town.stopBot();

  town.is("web", crashing);
  town.passMinutes(60);
  await town.restartBot();
  await town.sleeps(0);
  const [card] = town.told();
  expect(card).toMatch(/^🔴 web keeps crashing: lost the database password=\[redacted\]$/mu);
  expect(card).toMatch(/^Found .+\. I wasn't running since .+\.$/mu);

  await town.stopBot();
  town.is("web", well);
  town.passMinutes(60);
  await town.restartBot();
  await town.sleeps(0);
  await town.sleeps(1);
  const [after, ...rest] = town.told();
  expect(after).toMatch(/^🟢 web recovered after 60 min at the latest$/mu);
  expect(rest.filter((text) => !isReply(text))).toEqual([]);
});

test("a failed job is told at once, and a job that is done to who wants it", async () => {
  await using town = await watchedTown();
  const running = { status: { active: 1, startTime: "2026-11-26T10:00:00Z" } };
  town.isJob("report", running);
  town.isJob("backup", running);
  await town.watches("*", { events: ["job-failed", "job-done"] });

  town.isJob("report", {
    status: { failed: 1, conditions: [{ type: "Failed", status: "True" }] },
    message: "exit code 2",
  });
  town.isJob("backup", { status: { completionTime: "2026-11-26T10:05:00Z" } });
  await town.passes(1);

  const [card, ...more] = town.told();
  expect(card).toMatch(/^🔴 report failed: exit code 2$/mu);
  expect(card).toMatch(/^✅ backup is complete$/mu);
  expect(more.filter((text) => !isReply(text))).toEqual([]);
});

test("who watches deployments is told what changed", async () => {
  await using town = await watchedTown();
  town.is("web", { ...well, containers: [{ name: "c", image: "shop/web:1" }] });
  await town.watches("web", { events: ["deployed", "changed", "restarts"] });

  town.is("web", {
    ...well,
    restart_count: 1,
    target_instance_size: 2,
    ready_instances: 2,
    containers: [{ name: "c", image: "shop/web:2" }],
  });
  await town.passes(1);

  expect(town.told()[0]?.split("\n").slice(0, 3)).toEqual([
    "⚠️ web crashed and restarted",
    "🔄 web · image shop/web:1 → shop/web:2",
    "🔄 web · 1 → 2 instances",
  ]);
});

test("the post about a restart has no status dot, which would be wrong once the workload gets worse", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("web", { events: ["restarts"] });

  town.is("web", { ...well, restart_count: 1 });
  await town.passes(1);
  town.is("web", crashing);
  await town.passes(3);

  expect(town.told()[0]).toMatch(/^⚠️ web crashed and restarted$/mu);
  expect(town.told().join("\n")).not.toMatch(/[🟢🟡]/u);
});

test("a mute and quiet hours hold back what is told until they are over", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  const now = new Date(town.now().getTime() + 60_000);
  const clock = (at: Date): string => at.toISOString().slice(11, 16);
  const quiet = { from: clock(now), to: clock(new Date(now.getTime() + 20 * 60_000)), zone: "UTC" };
  await town.watches("web", { afterMs: 0, quiet });
  await town.passes(2);

  town.is("web", crashing);
  await town.passes(1);
  await town.sleeps(17);
  expect(town.told()).toEqual([]);
  await town.passes(2);
  expect(town.told()[0]).toMatch(/^🔴 web keeps crashing: lost the database password=\[redacted\]$/mu);
});

test("a watch shows only what its owner may see when it fires", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  town.is("payroll", well);
  await town.watches("*", { afterMs: 0 });
  town.setPolicy(`
rules:
  - name: payroll is secret
    who: [members]
    workloads: { name: payroll }
    does: [read]
    then: refuse
${openPolicy.replace("\nrules:\n", "")}`);

  town.is("payroll", crashing);
  town.is("web", crashing);
  await town.passes(2);

  expect(town.told().join("\n")).toContain("🔴 web keeps crashing");
  expect(town.told().join("\n")).not.toContain("payroll");
});

test("what its log says is on its card only while who watches it may read the log, and until it comes back", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  town.is("web", crashing);
  await town.passes(1);
  const headline = (): string | undefined => town.told()[0]?.split("\n")[0];
  expect(headline()).toBe("🔴 web keeps crashing: lost the database password=[redacted]");

  town.setPolicy(`
rules:
  - name: nobody-reads-logs
    who: everyone
    does: [getServiceLogs]
    then: refuse
${openPolicy.replace("\nrules:\n", "")}`);
  town.is("web", { ...crashing, restart_count: 9 });
  await town.passes(1);
  expect(headline()).toBe("🔴 web keeps crashing");

  town.setPolicy(openPolicy);
  town.is("web", well);
  await town.passes(1);
  town.is("web", crashing);
  await town.passes(1);
  expect(headline()).toBe("🔴 web keeps crashing");
});

test("hostile text mentions nobody, and isn't readable in the database", async () => {
  await using town = await watchedTown();
  town.is("web", well);
  await town.watches("*", { afterMs: 0 });

  town.is("web", {
    ...crashing,
    message: "<!channel> <@U0DANA> *marlin* \u202etxt token=ghp_0123456789abcdefghij0123456789abcdef",
  });
  await town.passes(1);

  const [card] = town.told();
  expect(card).toContain("<!channel>");
  expect(card).not.toContain("\u202e");
  expect(card).not.toContain("ghp_0123456789");
  const files = readdirSync(town.dataDir).filter((name) => name.startsWith("gantry.sqlite"));
  const onDisk = files.map((name) => readFileSync(join(town.dataDir, name), "latin1")).join("\n");
  expect(onDisk).not.toContain("marlin");
});
