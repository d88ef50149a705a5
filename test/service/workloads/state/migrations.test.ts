import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrate } from "../../../../src/service/workloads/state/data-folder.ts";
import { storedServices } from "../../../../src/service/workloads/state/store.ts";
import { stateMigrations } from "../../../../src/service/workloads/state/migrations.ts";
import { namedAsHere, type StateTables } from "../../../../src/service/workloads/state/store.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { makeDataDir } from "../../engines/process/support/data-dir.ts";
import { openEngine, userOf } from "../../engines/process/support/engine-world.ts";

const container = { name: "web", image: "gantry/hello-web", pullAlways: false, ports: [], mounts: [] };

/** A service as it was saved: until version 2 with the assigned host ports in its definition. */
function savedService(hostPorts: readonly (number | undefined)[]): string {
  const ports = hostPorts.map((hostPort, index) => ({ containerPort: 8080 + index, protocol: "tcp", hostPort }));
  return JSON.stringify({ size: 1, containers: [container], ports, volumes: [], syncTimezone: false, domains: [] });
}

/** A state file of an older version; `running` is 0 for services that must not be started. */
async function olderState(version: number, services: Readonly<Record<string, string>>, running = 0): Promise<string> {
  const dataDir = makeDataDir();
  const path = join(dataDir, "state.sqlite");
  const db = openSqlite<StateTables>(path);
  await migrate(db, path, stateMigrations.slice(0, version));
  await db.destroy();
  const file = new DatabaseSync(path);
  const insert = file.prepare(
    `insert into services (uid, username, region, name, created_at, running, deleting, definition)
       values (?, 'dana', 'beijing1', ?, '2026-11-20T10:00:00.000Z', ?, 0, ?)`,
  );
  for (const [name, definition] of Object.entries(services)) insert.run(`uid-${name}`, name, running, definition);
  file.close();
  return dataDir;
}

test("addresses of an older state file are kept, apart from the definitions", async () => {
  const dataDir = await olderState(2, { web: savedService([40_123, 40_124]), unassigned: savedService([0]) });
  const file = openSqlite<StateTables>(join(dataDir, "state.sqlite"));
  const db = file.withPlugin(namedAsHere);

  await migrate(file, "state.sqlite", stateMigrations);

  const [web, unassigned] = await storedServices(db);
  expect(web).toMatchObject({
    service: {
      generation: 0,
      addresses: new Map([
        [8080, "127.0.0.1:40123"],
        [8081, "127.0.0.1:40124"],
      ]),
    },
  });
  expect(unassigned).toMatchObject({ service: { addresses: new Map() } });
  const { definition } = await db.selectFrom("services").select("definition").executeTakeFirstOrThrow();
  expect(definition).not.toContain("hostPort");
  await db.destroy();
});

test("a damaged row of an older state file shows as failed, and the other services go on", async () => {
  const damaged = ["{", "[]", '{"ports":7}'];
  const broken = Object.fromEntries(damaged.map((definition, index) => [`broken-${index}`, definition]));
  const dataDir = await olderState(2, { ...broken, web: savedService([0]) }, 1);

  const { engine, close } = await openEngine(dataDir);
  const dana = userOf(engine);
  await dana.reaches("web", "Running");

  const statuses = (await dana.list()).services.map(({ name, status }) => `${name} ${status}`);
  expect(statuses.toSorted()).toEqual(["broken-0 Failed", "broken-1 Failed", "broken-2 Failed", "web Running"]);
  expect((await dana.read("web")).default_domain_name).toMatch(/^127\.0\.0\.1:\d+$/);
  await close();
});

test("a service from before there were revisions can get another image, and go back", async () => {
  const dataDir = await olderState(5, { web: savedService([undefined]) }, 1);
  const { engine, close } = await openEngine(dataDir);
  const dana = userOf(engine);
  await dana.reaches("web", "Running");
  const first = { revision: 1, images: ["gantry/hello-web"], created_at: "2026-11-20T10:00:00.000Z" };
  expect(await dana.read("web")).toMatchObject({ revision: 1, revisions: [first] });

  await dana.update("web", { containers: [{ image: "gantry/hello-web:2" }] });
  await dana.reaches("web", "Running");
  expect(await dana.read("web")).toMatchObject({ revision: 2, revisions: [{ outcome: "done" }, first] });
  await dana.update("web", { revision: 1 });
  await dana.reaches("web", "Running");

  expect(await dana.read("web")).toMatchObject({
    revision: 3,
    containers: [{ image: "gantry/hello-web" }],
    rollout: { state: "done", from: 2, to: 3 },
  });
  await close();
});
