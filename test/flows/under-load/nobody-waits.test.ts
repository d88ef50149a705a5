import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { quorum } from "../../support/policies.ts";
import { card, says, whispers } from "../../support/speak.ts";
import { type Person, type World, world } from "../../support/world.ts";

const drain = { graceMs: 50, goodbyeMs: 50 };

/** The service accepts every update, and no update ends. */
async function updating(request: Request): Promise<Response> {
  const name = new URL(request.url).pathname.split("/").at(-1);
  const containers = [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }];
  return Response.json({ uid: `u-${name}`, name, status: "Updating", target_instance_size: 1, containers });
}

const SHORTEST_LOOK_MS = 1_500;

/** A town in which every pause before a look at a workload lasts until it is over. */
async function townThatUpdates() {
  const { promise: updated, resolve: finish } = Promise.withResolvers<void>();
  let waiting = 0;
  const town = await world({
    policy: openPolicy,
    apiFetch: updating,
    drain,
    async wait(ms) {
      // A read that a busy machine couldn't make in time is tried again.
      if (ms < SHORTEST_LOOK_MS) return;
      waiting += 1;
      await updated;
    },
  });
  return { town, waiting: () => waiting, finish };
}

async function asksForHelp(town: World, person: Person): Promise<void> {
  await person.says("/gantry help");
  await town.until(() => whispers(person).some((text) => text.includes("/gantry restart")));
}

/** One more than a lane begins at once for one person. */
const MANY = 5;

test("while scale commands wait for services that stay Updating, everybody's help is answered", async () => {
  const { town, waiting, finish } = await townThatUpdates();
  await using _town = town;
  for (let at = 1; at <= MANY; at += 1) await town.developer.says(`/gantry scale svc-${at} 3`);
  await town.until(() => waiting() === MANY);

  await asksForHelp(town, town.approver);
  await asksForHelp(town, town.developer);

  expect(waiting()).toBe(MANY);
  expect(town.calls().filter((op) => op === "updateService")).toHaveLength(MANY);
  finish();
});

test("while scale commands wait for a workload API that can't look up services, the same person sees the list", async () => {
  const { promise: back, resolve: comeBack } = Promise.withResolvers<void>();
  let hanging = 0;
  await using town = await world({
    policy: openPolicy,
    drain,
    async apiFetch(request) {
      if (request.url.endsWith("/services")) {
        return Response.json({ region: "beijing1", services: [{ uid: "u-1", name: "svc-1", status: "Running" }] });
      }
      if (request.url.includes("/services/")) {
        hanging += 1;
        await back;
      }
      return updating(request);
    },
  });
  const { developer } = town;
  for (let at = 1; at <= MANY; at += 1) await developer.says(`/gantry scale svc-${at} 3`);
  await town.until(() => hanging >= 4);

  await developer.says("/gantry list services");
  await town.until(() => whispers(developer).some((text) => text.includes("svc-1")));

  expect(town.calls()).not.toContain("updateService");
  comeBack();
});

test("while approved requests wait for services that stay Updating, the person who approved them gets help", async () => {
  const { town, waiting, finish } = await townThatUpdates();
  await using _town = town;
  const { developer, approver } = town;
  town.setPolicy(quorum.replace("votes: 2", "votes: 1"));
  for (let at = 1; at <= MANY; at += 1) await says(town, developer, `/gantry scale svc-${at} 3`);
  for (const { id } of await town.store().pendingChanges("T0PLAYGR")) await approver.says(`/gantry approve ${id}`);
  await town.until(() => waiting() === MANY);

  await asksForHelp(town, approver);

  expect(town.calls().filter((op) => op === "updateService")).toHaveLength(MANY);
  finish();
});

/** One more than are redrawn at once. */
const MANY_CARDS = 9;

test.each(["429", "hang"] as const)(
  "with more expired cards than are redrawn at once and a Slack that answers chat.update with %s, help is answered",
  async (failure) => {
    await using town = await approvalTown({ policy: quorum, drain });
    const { developer, playground } = town;
    for (let size = 3; size < 3 + MANY_CARDS; size += 1) await says(town, developer, `/gantry scale web ${size}`);
    playground.faults.retryAfterSeconds = 30;
    playground.faults.answer("chat.update", failure);
    town.passMinutes(61);
    const swept = town.sweep();
    await town.until(() => town.logged().some(({ method }) => method === "chat.update") || failure === "hang");

    await asksForHelp(town, town.approver);

    expect(card(developer)).not.toMatch(/expired/iu);
    playground.faults.clear();
    await swept;
  },
);

test("while Slack limits how often one person's Home is drawn, their help is answered", async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  await using town = await world({ policy: openPolicy, drain, backOff: () => over });
  const { developer, playground } = town;
  playground.faults.answer("views.publish", "429", { retryAfterSeconds: 24 });
  const published = (): number => playground.transcript().filter(({ kind }) => kind === "views.publish").length;
  await developer.opensHome();
  await town.until(() => published() > 0);
  for (let more = 0; more < 5; more += 1) await developer.opensHome();

  await asksForHelp(town, developer);

  expect(published()).toBe(1);
  playground.faults.clear();
  end();
});
