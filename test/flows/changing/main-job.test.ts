import { afterAll, beforeAll, expect, test } from "vitest";
import { approved } from "../../engines/support/approved.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { card, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

let town: World;
beforeAll(async () => {
  town = await approvalTown();
});
afterAll(async () => town.close());

test("a newcomer creates a job, sees that it finished, and reads its log in a thread", async () => {
  await using town = await world();
  const { developer } = town;

  const created = await says(town, developer, "/gantry create job hello --image gantry/batch -- 3 --delay 10 --exit 0");
  expect(created).toContain("hello");
  expect(created).toContain("gantry/batch");

  await town.until(async () => (await town.job("hello")).status?.succeeded === 1);
  expect(await says(town, developer, "/gantry show hello")).toContain("⚪️ hello · complete");

  await says(town, developer, "/gantry logs job/hello");
  const [head, ...replies] = town.thread("ops");
  expect(head).toMatch(/^📄 hello · all \d+ lines of today/u);
  expect(replies.join("\n")).toMatch(/step 1[\s\S]*step 3/u);
});

test("a job that fails is shown as failed, with its reason", async () => {
  const { developer } = town;

  await says(town, developer, "/gantry create job doomed --image test/failing");
  await town.until(
    async () => (await town.job("doomed")).status?.conditions?.some(({ type }) => type === "Failed") === true,
  );

  const card = await says(town, developer, "/gantry show job/doomed");
  expect(card).toContain("🔴 doomed · failed: exit code 3 after 3 attempts");
});

test("a service is scaled, updated, stopped, started, restarted and deleted by words", async () => {
  const { developer } = town;
  const running = async (): Promise<boolean> => (await town.service("shop")).status === "Running";

  await says(town, developer, "/gantry create service shop --image test/web --publish 8080 --memory 512");
  await says(town, developer, "/gantry scale shop 2");
  expect(card(developer)).toContain("nstances 1 → 2");
  expect((await town.service("shop")).target_instance_size).toBe(2);
  await town.until(running);

  expect(await approved(town, "/gantry memory shop 1024")).toContain("emory 512 → 1024 MiB");
  await town.until(running);

  await says(town, developer, "/gantry domains shop add shop.example.com");
  expect(card(developer)).toContain("+ domain shop.example.com");
  await town.until(running);

  expect(await approved(town, "/gantry restart shop")).toMatch(/shop restarted|restarting shop/u);
  await town.until(running);

  await approved(town, "/gantry stop shop");
  await town.until(async () => (await town.service("shop")).status === "Stopped");
  expect(await says(town, developer, "/gantry show shop")).toContain("⚪️ shop · stopped");
  expect(await says(town, developer, "/gantry restart shop")).toContain(
    "🚫 Service shop is stopped and can't be restarted: start it first.",
  );
  expect(await says(town, developer, "/gantry pending")).not.toContain("shop");

  await says(town, developer, "/gantry start shop");
  await town.until(running);

  expect(await approved(town, "/gantry delete shop")).toContain("✅ shop deleted");
  await town.until(async () => (await town.services()).every(({ name }) => name !== "shop"));
});
