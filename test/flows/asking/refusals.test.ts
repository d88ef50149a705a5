import { expect, test } from "vitest";
import { newest, type World, world } from "../../support/world.ts";

async function answer(town: World, text: string): Promise<string> {
  await town.developer.says(text);
  await town.settled();
  return newest(town.developer);
}

test("a mistyped verb gets the nearest one", async () => {
  await using town = await world();

  const text = await answer(town, "/gantry restrat web");

  expect(text).toContain("Did you mean restart?");
  expect(town.calls()).toEqual([]);
});

test("a wrong argument gets the usage line and an example", async () => {
  await using town = await world();

  const text = await answer(town, "/gantry scale web many");

  expect(text).toContain("/gantry scale NAME N");
  expect(text).toContain("/gantry scale web 4");
});

test("an unknown name gets the near ones", async () => {
  await using town = await world();
  await answer(town, "/gantry create service web --image gantry/hello-web");

  expect(await answer(town, "/gantry show wbe")).toContain("Did you mean web?");
  expect(await answer(town, "/gantry restart wbe")).toContain("Did you mean web?");
  expect(await answer(town, "/gantry delete wbe")).toContain("Did you mean web?");
});

test("a name that a service and a job have is asked about, and either is reachable", async () => {
  await using town = await world();
  await answer(town, "/gantry create service twin --image gantry/hello-web");
  await answer(town, "/gantry create job twin --image gantry/batch -- 1");

  const both = await answer(town, "/gantry show twin");

  expect(both).toContain("service/twin or job/twin");
  expect(await answer(town, "/gantry show job/twin")).toContain("gantry/batch");
  expect(await answer(town, "/gantry show service/twin")).toContain("gantry/hello-web");
  expect(await answer(town, "/gantry delete twin")).toContain("service/twin or job/twin");
});

test("a verb for services says so when it is given a job", async () => {
  await using town = await world();
  await answer(town, "/gantry create job once --image gantry/batch -- 1");

  expect(await answer(town, "/gantry scale once 2")).toContain("once is a job, and scale is for services");
});

test("an unknown image is refused by the service, and the answer names the images there are", async () => {
  await using town = await world();

  const text = await answer(town, "/gantry create service x --image nginx");

  expect(text).toContain("gantry/hello-web");
  expect(await town.services()).toEqual([]);
});

test("a name that exists is not created again", async () => {
  await using town = await world();
  await answer(town, "/gantry create service web --image gantry/hello-web");

  expect(await answer(town, "/gantry create service web --image gantry/worker")).toContain(
    "Service web already exists",
  );
});

test("a region that the service does not have is said", async () => {
  await using town = await world();

  expect(await answer(town, "/gantry list services --region atlantis")).toContain("atlantis");
});

test("everything empty is a beginning, not an error", async () => {
  await using town = await world();

  expect(await answer(town, "/gantry list")).toMatch(/No workloads in beijing1 yet\.[\s\S]*\[Create one\]/u);
});

test("help lists every verb, and help of a verb its flags", async () => {
  await using town = await world();

  const help = await answer(town, "/gantry help all");
  for (const verb of [
    "list",
    "show",
    "logs",
    "create",
    "scale",
    "memory",
    "domains",
    "start",
    "stop",
    "restart",
    "delete",
    "whoami",
  ]) {
    expect(help).toContain(verb);
  }
  expect(await answer(town, "/gantry help create")).toContain("--sync-timezone");
});

test("whoami tells the account, the calls of today, and no token", async () => {
  await using town = await world();
  await answer(town, "/gantry list");

  const text = await answer(town, "/gantry whoami");

  expect(text).toMatch(/API requests  2 since/u);
  expect(text).not.toContain(town.token);
});
