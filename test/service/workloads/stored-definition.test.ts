import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { serve } from "../../../src/service/api/serve.ts";
import { makeDataDir } from "../engines/process/support/data-dir.ts";
import { openEngine, userOf } from "../engines/process/support/engine-world.ts";

const token = "dana-token-0123456789";

/** What an earlier version let through: no request of today can leave it in the database. */
const badContainer = {
  memoryMib: 1e21,
  image: "",
  command: ["a\0b"],
  env: [{ name: "", value: "x".repeat(20_000) }],
  ports: [{ port: 70_000, protocol: "UDP" }],
  mounts: [{ name: "..", mountPath: "../x" }],
};

test("a list shows workloads with values that no request could have today", async () => {
  const dataDir = makeDataDir();
  const before = await openEngine(dataDir);
  const dana = userOf(before.engine);
  const idle = { target_instance_size: 0, containers: [{ image: "gantry/worker" }] };
  await dana.create("huge", idle);
  await dana.create("infinite", idle);
  await dana.createJob("huge", { containers: [{ image: "gantry/batch", command: ["0"] }] });
  await dana.ends("huge");
  await before.close();

  const db = new DatabaseSync(join(dataDir, "state.sqlite"));
  const spoil = (table: "services" | "jobs", name: string, change: object): void => {
    const row = db.prepare(`select definition from ${table} where name = ?`).get(name);
    const definition = JSON.parse(String(row?.["definition"]));
    const [container] = definition.containers;
    const spoilt = {
      ...definition,
      containers: [{ ...container, ...badContainer, ...change }],
      domains: [`not a domain, ${name}`],
    };
    db.prepare(`update ${table} set definition = ? where name = ?`).run(JSON.stringify(spoilt), name);
  };
  spoil("services", "huge", {});
  // JSON has no Infinity: it was stored as null.
  spoil("services", "infinite", { memoryMib: null });
  spoil("jobs", "huge", {});
  db.close();

  const after = await openEngine(dataDir);
  const fetch = serve({ engine: after.engine, users: [{ username: "dana", token }], checkAnswers: true });
  const read = async (path: string) => {
    const headers = { username: "dana", Authorization: `token ${token}` };
    const response = await fetch(new Request(`http://service.example/v1/regions/${path}`, { headers }));
    return { path, status: response.status, body: await response.json() };
  };
  const services = await read("beijing1/services");
  const jobs = await read("us/jobs");

  expect(services).toMatchObject({ status: 200, body: { services: [{ name: "huge" }, { name: "infinite" }] } });
  expect(jobs).toMatchObject({ status: 200, body: { jobs: [{ metadata: { name: "huge" } }] } });
  await after.close();
});
