import { expect, test } from "vitest";
import { deliver, form } from "../../../support/deliver.ts";
import { oneService, web } from "../../../support/one-service.ts";
import { openPolicy } from "../../../support/open-policy.ts";
import { world, type World } from "../../../support/world.ts";

/** Posts to a response_url and to the Web API, as the transcript has them. */
function sent({ playground }: World): readonly string[] {
  return playground
    .transcript()
    .filter(({ direction }) => direction === "from bot")
    .map(({ kind }) => kind);
}

test("the ack leaves while the service has not answered", async () => {
  const { promise: stalled, resolve: release } = Promise.withResolvers<void>();
  await using town = await world({
    async apiFetch(request) {
      if (request.url.endsWith("/services")) await stalled;
      return oneService(request);
    },
  });

  const acks = await Promise.all(Array.from({ length: 20 }, () => town.developer.says("/gantry list services")));
  const seenAtAck = town.developer.sees("ops").length;
  release();
  await town.settled();

  expect(acks.every(({ acked }) => acked)).toBe(true);
  expect(seenAtAck).toBe(0);
  expect(town.developer.sees("ops")).toHaveLength(20);
});

test("mistakes are the ack itself: no second request to Slack", async () => {
  await using town = await world({ apiFetch: oneService });
  const before = sent(town).length;

  for (const text of [
    "restrat web",
    "scale web many",
    "list --colour",
    "approve it now",
    "history --by dana",
    "connect s3cr3t",
  ]) {
    const ack = await town.developer.says(`/gantry ${text}`);
    expect(ack.acked, text).toBe(true);
    expect(JSON.stringify(ack.answer), text).toMatch(/blocks/u);
  }

  await town.settled();
  expect(sent(town).slice(before)).toEqual([]);
  expect(town.calls()).toEqual([]);
});

test("help asks Slack who asks, because it lists what they may do, and the service nothing", async () => {
  await using town = await world({ apiFetch: oneService });
  const before = sent(town).length;

  for (const text of ["help", "", "help scale", "help nothing"]) {
    expect((await town.developer.says(`/gantry ${text}`)).acked, text).toBe(true);
    await town.settled();
  }

  expect(sent(town).slice(before)).toEqual(["users.info", ...Array.from({ length: 4 }, () => "response_url")]);
  expect(town.calls()).toEqual([]);
});

test("a command that Slack delivers twice acts once and answers once", async () => {
  await using town = await world({ apiFetch: oneService, policy: openPolicy });
  town.playground.faults.deliverTwice = true;

  await town.developer.says("/gantry restart service/web");
  await town.settled();
  expect(town.calls().filter((op) => op === "restartService")).toHaveLength(1);
  expect(town.developer.sees("ops")).toHaveLength(1);

  await town.developer.says("/gantry list services");
  await town.settled();
  expect(town.calls().filter((op) => op === "listServices")).toHaveLength(1);
  expect(town.developer.sees("ops")).toHaveLength(2);
});

test("a write that Slack delivers again after a restart of the bot is not done again", async () => {
  await using town = await world({ apiFetch: oneService, policy: openPolicy });
  await town.developer.says("/gantry restart service/web");
  await town.settled();
  const body = String(new URLSearchParams(lastCommand(town)));

  await town.restartBot();
  const again = await deliver(town, { body });
  await town.settled();

  expect(again.status).toBe(200);
  expect(town.calls().filter((op) => op === "restartService")).toHaveLength(1);
});

test("a request that Slack has not signed is refused", async () => {
  await using town = await world({ apiFetch: oneService });
  const response = await fetch(`${town.botUrl()}/slack/events`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": String(Math.floor(Date.now() / 1000)),
      "x-slack-signature": "v0=00",
    },
    body: form({ command: "/gantry", text: "list" }),
  });

  expect(response.status).toBe(401);
  expect(town.calls()).toEqual([]);
});

test("a problem of the service is told with its next step, and beside the list that was clicked in", async () => {
  let isDown = false;
  const services = Array.from({ length: 25 }, (_, at) => ({ ...web, name: `svc-${at}` }));
  await using town = await world({
    apiFetch: async () =>
      isDown ? Response.json({ message: "maintenance" }, { status: 403 }) : Response.json({ services }),
  });
  await town.developer.says("/gantry list services");
  await town.settled();

  isDown = true;
  await town.developer.clicks("Next");
  await town.settled();

  const [list, problem] = town.developer.sees("ops").map(({ text }) => text);
  expect(list).toContain("1–10 of 25");
  expect(problem).toMatch(/maintenance/u);
});

function lastCommand({ playground }: World): Record<string, string> {
  const last = playground.transcript().findLast(({ kind }) => kind === "slash_command");
  return last?.request as Record<string, string>; // a slash command is a form
}

test("an event that Slack sends again to another replica is answered once, whatever it says", async () => {
  await using town = await world({ apiFetch: oneService });
  for (const text of ["@gantry shwo web", "@gantry", "@gantry show web", "@gantry please restart web"]) {
    await town.developer.says(text);
  }
  await town.settled();
  const before = town.developer.sees("ops").length;
  const events = town.playground.transcript().filter(({ kind }) => kind === "event_callback");

  await town.restartBot();
  for (const { request } of events) {
    expect(await deliver(town, { body: JSON.stringify(request), type: "application/json" })).toMatchObject({
      status: 200,
    });
  }
  await town.settled();

  expect(events).toHaveLength(4);
  expect(town.developer.sees("ops")).toHaveLength(before);
});

test("while the database is away, a mention is still answered", async () => {
  await using town = await world({
    apiFetch: oneService,
    store: (real) => ({ ...real, remember: () => Promise.reject(new Error("away")) }),
  });

  await town.developer.says("@gantry show web");
  await town.settled();

  expect(town.developer.sees("ops").at(-1)?.text).toContain("web");
});
