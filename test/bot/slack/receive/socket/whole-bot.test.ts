import { expect, test } from "vitest";
import { oneService } from "../../../../support/one-service.ts";
import { world } from "../../../../support/world.ts";

test("a replica that stops beside another one closes its connections while it still finishes what it has", async () => {
  const { promise: read, resolve: release } = Promise.withResolvers<void>();
  await using town = await world({
    transport: "socket",
    apiFetch: async (request) => {
      if (request.url.endsWith("/services")) await read;
      return oneService(request);
    },
    store: (real) => ({ ...real, otherReplicas: () => Promise.resolve([{ id: "b", report: undefined }]) }),
  });
  const { developer, playground } = town;
  await developer.says("/gantry list services");

  const stopped = town.stopBot();
  await town.until(() => playground.links.names().length === 0);
  const meanwhile = await developer.says("/gantry list services");
  release();
  await stopped;

  // Another replica would have taken it: this Slack has no connection left.
  expect(meanwhile).toMatchObject({ acked: false, error: "dispatch_failed" });
  expect(developer.sees("ops").at(-1)?.text).toContain("web");
});

test("the last replica tells people that it restarts for as long as it stops", async () => {
  const { promise: read, resolve: release } = Promise.withResolvers<void>();
  await using town = await world({
    transport: "socket",
    apiFetch: async (request) => {
      if (request.url.endsWith("/services")) await read;
      return oneService(request);
    },
  });
  const { developer } = town;
  await developer.says("/gantry list services");

  const stopped = town.stopBot();
  await town.until(async () =>
    JSON.stringify((await developer.says("/gantry help")).answer ?? "").includes("restarting"),
  );
  release();
  await stopped;

  expect(developer.sees("ops").at(-1)?.text).toContain("web");
});

test("an answer whose connection broke before the ack is posted instead", async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  let breaks = (): void => undefined;
  await using town = await world({
    transport: "socket",
    apiFetch: oneService,
    store: (real) => ({
      ...real,
      async accept() {
        breaks();
        await stored;
        throw new Error("away");
      },
    }),
  });
  const { developer, playground } = town;

  const broken = Promise.withResolvers<void>();
  breaks = () => {
    playground.links.drop("all");
    broken.resolve();
  };

  const delivery = developer.says("/gantry restart web");
  await broken.promise;
  await town.until(() => playground.links.names().length >= 1);
  store();
  await delivery;
  await town.settled();

  await town.until(() => developer.sees("ops").some(({ text }) => text.includes("Not started")));
  expect(developer.sees("ops").at(-1)?.text).toContain("Not started: the database didn't confirm your request");
});
