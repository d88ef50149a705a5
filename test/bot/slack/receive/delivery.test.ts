import { expect, test } from "vitest";
import { deliver, form } from "../../../support/deliver.ts";
import { oneService, web } from "../../../support/one-service.ts";
import { openPolicy } from "../../../support/open-policy.ts";
import { newest, world, type World } from "../../../support/world.ts";

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

test("when a write cannot be written down, nothing is done, and the ack says so", async () => {
  await using town = await world({ apiFetch: oneService });
  await town.store().close();

  const ack = await town.developer.says("/gantry restart service/web");
  await town.settled();

  expect(ack.acked).toBe(true);
  expect(newest(town.developer)).toMatch(/Not started: the database didn't confirm your request/u);
  expect(town.calls()).toEqual([]);
  const reference = /[Rr]eference ([0-9a-f]{8})/u.exec(newest(town.developer))?.[1];
  expect(town.logged().find((line) => line["reference"] === reference)).toMatchObject({
    level: 50,
    interaction: "ask",
  });
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

test("a failure of ours reaches the person with a reference that stands in the log, with the stack", async () => {
  await using town = await world({
    apiFetch: oneService,
    settings: {
      regions: new Proxy(["us"], { get: (list, key) => (key === "slice" ? broken() : Reflect.get(list, key)) }),
    },
  });

  await town.developer.says("/gantry whoami");
  await town.settled();

  const reference = /[Rr]eference ([0-9a-f]{8})/u.exec(newest(town.developer))?.[1];
  expect(newest(town.developer)).toContain("Something went wrong in Gantry");
  const line = town.logged().find((each) => each["reference"] === reference);
  expect(line).toMatchObject({ level: 50, verb: "whoami", err: { message: "a bug for the test" } });
  expect(JSON.stringify(line)).toContain("at ");
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

function broken(): never {
  throw new Error("a bug for the test");
}

function lastCommand({ playground }: World): Record<string, string> {
  const last = playground.transcript().findLast(({ kind }) => kind === "slash_command");
  return last?.request as Record<string, string>; // a slash command is a form
}
