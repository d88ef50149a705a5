import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { testClock } from "../../../support/test-clock.ts";
import { health } from "../../../../src/service/api/listen.ts";
import { openDockerEngine } from "../../../../src/service/engines/docker/docker-engine.ts";
import { until } from "../../../support/until.ts";
import { makeDataDir } from "../process/support/data-dir.ts";
import { userOf } from "../process/support/engine-world.ts";
import { type FakeDaemon, fakeDaemon, foundAt } from "./support/fake-daemon.ts";

const began = new Date("2026-11-22T15:04:05.678Z");

async function opened(daemon: FakeDaemon) {
  const clock = testClock();
  const found = await foundAt(daemon);
  const engine = await openDockerEngine({
    dataDir: makeDataDir(),
    regions: ["us"],
    found,
    clock: { ...clock, now: () => began },
  });
  onTestFinished(() => engine.close());
  /** The daemon is asked each second whether it answers. */
  const sees = (isSo: () => boolean | Promise<boolean>) =>
    until(async () => {
      clock.passMs(100);
      return await isSo();
    });
  return { ...engine, sees };
}

const body = { containers: [{ image: "localhost/web:1" }], target_instance_size: 0 };
const away = "Docker hasn't answered since 2026-11-22T15:04:05Z: there is no such socket.";

test("while the daemon is away, reads and writes say since when and that nothing was changed; stored logs stay readable", async () => {
  await using daemon = await fakeDaemon();
  const { engine, ready, sees } = await opened(daemon);
  const dana = userOf(engine, "dana", "us");
  await dana.create("web", body);

  await daemon.stop();
  await sees(() => !ready().ok);
  // A request in flight breaks off first; the looks after it find no socket.
  await sees(() =>
    dana.list().then(
      () => false,
      (error: unknown) => String(error).includes(away),
    ),
  );

  const refused = {
    name: "Refusal",
    status: 503,
    retryAfterSeconds: 5,
    message: `${away} Nothing was changed. Try again when it is back; logs can be read meanwhile.`,
  };
  await expect(dana.list()).rejects.toMatchObject(refused);
  await expect(dana.read("web")).rejects.toMatchObject(refused);
  await expect(dana.create("api", body)).rejects.toMatchObject(refused);
  await expect(dana.update("web", { target_instance_size: 2 })).rejects.toMatchObject(refused);
  await expect(dana.logs("web")).resolves.toEqual([]);

  await daemon.start();
  await sees(() => ready().ok);
  expect((await dana.list()).services).toMatchObject([{ target_instance_size: 0 }]);
  await expect(dana.create("api", body)).resolves.toMatchObject({ target_instance_size: 0 });
});

test("an outage lasts until each container was looked at: nothing is said from before it", async () => {
  await using daemon = await fakeDaemon();
  const { engine, ready, sees } = await opened(daemon);
  const dana = userOf(engine, "dana", "us");
  await daemon.stop();
  await sees(() => !ready().ok);
  const held: ServerResponse[] = [];
  daemon.answers["/containers/json"] = (response) => void held.push(response);
  const before = daemon.asked.length;

  await daemon.start();
  await sees(() => held.length > 0 && daemon.asked.slice(before).some((path) => path.endsWith("/info")));
  // By then the daemon's answers about itself have come, too.
  for (let turn = 0; turn < 5; turn += 1) await foundAt(daemon);
  expect(ready().ok).toBe(false);
  await expect(dana.list()).rejects.toMatchObject({ status: 503 });

  daemon.answers["/containers/json"] = [200, []];
  for (const response of held) response.writeHead(200).end("[]");
  await sees(() => ready().ok);
});

test("/healthz names the daemon, and says since when it doesn't answer; an upgrade is noticed", async () => {
  await using daemon = await fakeDaemon();
  const engine = await opened(daemon);
  const well = await health(engine).json();

  await daemon.stop();
  await engine.sees(() => !engine.ready().ok);
  const unwell = health(engine);
  daemon.answers["/version"] = [200, { Version: "29.0.1", ApiVersion: "1.52", MinAPIVersion: "1.44" }];
  await daemon.start();
  await engine.sees(() => engine.ready().ok);

  expect(well).toMatchObject({ engine: { name: "docker", title: "Docker", regions: [{ version: "20.10.24" }] } });
  expect(well).not.toHaveProperty("engine.regions.0.problem");
  expect(unwell.status).toBe(503);
  expect(await unwell.json()).toMatchObject({ message: away, engine: { regions: [{ problem: away }] } });
  expect(await health(engine).json()).toMatchObject({ status: "ok", engine: { regions: [{ version: "29.0.1" }] } });
});

test("what Docker can't do is refused before anything is asked of it", async () => {
  await using daemon = await fakeDaemon();
  const dana = userOf((await opened(daemon)).engine, "dana", "us");

  await expect(dana.create("web", { ...body, binding_domain_name: ["shop.example.com"] })).rejects.toMatchObject({
    status: 400,
    message:
      "the Docker engine can't honour binding_domain_name (custom domains) in us: nothing routes domains here: " +
      "point your own proxy at a port mapping. Nothing was changed.",
  });
});
