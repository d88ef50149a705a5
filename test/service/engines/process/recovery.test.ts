import { DatabaseSync } from "node:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { machineClock } from "../../../../src/platform/clock.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { serve } from "../../../../src/service/api/serve.ts";
import { greet, openEngine, until, userOf } from "./support/engine-world.ts";
import { oldState } from "./support/old-state.ts";

const web = { containers: [{ image: "gantry/hello-web" }], port_mappings: [{ container_port: 8080 }] };
const batch = { containers: [{ image: "gantry/batch", command: ["1", "--delay", "1"] }] };

/** Changes a saved file while no engine works in the folder. */
function edit(dataDir: string, change: (db: DatabaseSync) => void, file = "state.sqlite"): void {
  const db = new DatabaseSync(join(dataDir, file));
  change(db);
  db.close();
}

function definitionOf(change: (definition: Record<string, unknown>) => void) {
  return (db: DatabaseSync, name: string) => {
    const row = db.prepare("select definition from services where name = ?").get(name);
    const definition = JSON.parse(String(row?.["definition"]));
    change(definition);
    db.prepare("update services set definition = ? where name = ?").run(JSON.stringify(definition), name);
  };
}

const spoiled: readonly [what: string, reason: RegExp, spoil: (db: DatabaseSync, name: string) => void][] = [
  [
    "10,000,000,000 instances",
    /size must be at most 10000/,
    definitionOf((definition) => void (definition["size"] = 10_000_000_000)),
  ],
  [
    "3,000,000 instances",
    /size must be at most 10000/,
    definitionOf((definition) => void (definition["size"] = 3_000_000)),
  ],
  [
    "1e21 MiB of memory",
    /memoryMib must be at most/,
    definitionOf((definition) => {
      definition["containers"] = [
        { name: "a", image: "gantry/worker", pullAlways: false, ports: [], mounts: [], memoryMib: 1e21 },
      ];
    }),
  ],
  [
    "no valid JSON",
    /isn't valid JSON/,
    (db, name) => void db.prepare("update services set definition = '{' where name = ?").run(name),
  ],
  [
    "a time that is none",
    /row is damaged/,
    (db, name) => void db.prepare("update services set created_at = 'soon' where name = ?").run(name),
  ],
  [
    "an image that is unknown now",
    /unknown image/,
    definitionOf((definition) => {
      definition["containers"] = [{ name: "a", image: "gone/away", pullAlways: false, ports: [], mounts: [] }];
    }),
  ],
];

describe("a saved service that cannot be used", () => {
  test.each(spoiled)(
    "with %s shows why, can be deleted, and keeps nothing else from running",
    async (_, reason, spoil) => {
      const dataDir = makeDataDir();
      const first = await openEngine(dataDir);
      await userOf(first.engine).create("bad", { ...web, target_instance_size: 1 });
      await userOf(first.engine).create("good", web);
      const wrote = async () => (await userOf(first.engine).logs("bad")).map(({ log }) => log);
      await until(async () => (await wrote()).length > 0, "its log");
      await first.close();
      edit(dataDir, (db) => spoil(db, "bad"));

      const { engine, close } = await openEngine(dataDir);
      const dana = userOf(engine);
      await dana.reaches("good", "Running");
      const listed = (await dana.list()).services.find(({ name }) => name === "bad");
      const read = await dana.read("bad");

      expect(listed).toMatchObject({ status: "Failed", message: expect.stringMatching(reason) });
      expect(read).toMatchObject({ status: "Failed", message: expect.stringMatching(reason) });
      await expect(dana.restart("bad")).rejects.toMatchObject({
        status: expect.toSatisfy((code) => [400, 409].includes(code)),
      });
      await expect(dana.create("bad", web)).rejects.toMatchObject({ status: 409 });
      expect((await dana.logs("bad")).length).toBeGreaterThan(0);
      await dana.remove("bad");
      expect((await dana.list()).services.map(({ name }) => name)).toEqual(["good"]);
      await dana.create("bad", web);
      await close();
    },
  );
});

test("a saved job that cannot be used is shown as failed with its reason, and can be deleted", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir);
  await userOf(first.engine).createJob("bad", batch);
  await userOf(first.engine).createJob("good", batch);
  await userOf(first.engine).ends("good");
  await userOf(first.engine).ends("bad");
  const lines = await userOf(first.engine).jobLogs("bad");
  await first.close();
  edit(dataDir, (db) => db.exec("update jobs set definition = '[]' where name = 'bad'"));

  const { engine, close } = await openEngine(dataDir);
  const dana = userOf(engine);
  const { jobs } = await dana.listJobs();

  expect(jobs.map(({ metadata }) => metadata.name)).toEqual(["good", "bad"]);
  expect((await dana.readJob("bad")).status?.conditions).toMatchObject([
    { type: "Failed", message: expect.stringContaining("The saved definition can't be used") },
  ]);
  expect(lines.length).toBeGreaterThan(0);
  expect(await dana.jobLogs("bad")).toEqual(lines);
  await dana.removeJob("bad");
  await dana.createJob("bad", batch);
  await close();
});

test("the log of a damaged workload is answered over HTTP as openapi.yaml lists it", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir);
  await userOf(first.engine).create("bad", web);
  await userOf(first.engine).createJob("bad", batch);
  await userOf(first.engine).ends("bad");
  await first.close();
  edit(dataDir, (db) => db.exec("update services set definition = '{'; update jobs set definition = '{'"));

  const { engine, close } = await openEngine(dataDir);
  const account = { username: "dana", token: "d".repeat(48) };
  const fetch = serve({ engine, users: [account], checkAnswers: true });
  const headers = { username: account.username, Authorization: `token ${account.token}` };
  const read = async (path: string) => {
    const response = await fetch(new Request(`http://service/v1/regions/${path}`, { headers }));
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const service = await read("beijing1/services/bad/logs");
  const job = await read("us/jobs/bad");
  const instance = job.body.instance_names[0];
  const log = await read(`us/jobs/bad/instances/${instance}/logs`);
  const other = await read("us/jobs/bad/instances/bad-other/logs");

  expect([service.status, job.status, log.status, other.status]).toEqual([200, 200, 200, 404]);
  expect(log.body.length).toBeGreaterThan(0);
  await close();
});

test("workloads of a removed region or user are listed and kept, and run again when it is back", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir, { regions: ["us", "beijing1", "moon1"] });
  const [dana, kim] = [userOf(first.engine, "dana", "moon1"), userOf(first.engine, "kim")];
  await dana.create("far", web);
  await kim.create("hers", web);
  await dana.reaches("far", "Running");
  const { default_domain_name: address } = await dana.read("far");
  await first.close();

  const second = await openEngine(dataDir, { users: ["dana"] });
  expect(second.notices).toEqual([
    "2 workloads were not started, because the region or the user is no longer configured: " +
      "service far of dana in moon1, service hers of kim in beijing1. " +
      "Nothing was deleted: add the region or the user again to run them.",
  ]);
  await expect(greet(address)).rejects.toThrow("fetch failed");
  await second.close();

  const third = await openEngine(dataDir, { regions: ["us", "beijing1", "moon1"] });
  await userOf(third.engine, "dana", "moon1").reaches("far", "Running");
  await userOf(third.engine, "kim").reaches("hers", "Running");
  expect(third.notices).toEqual([]);
  await third.close();
});

describe("the state file", () => {
  test("of the version before migrations opens, and its workloads go on", async () => {
    const dataDir = makeDataDir();
    oldState(dataDir);

    const { engine, close } = await openEngine(dataDir);
    const dana = userOf(engine);
    await dana.reaches("web", "Running");
    await dana.ends("cut");

    expect((await dana.readJob("done")).status).toMatchObject({
      succeeded: 1,
      completionTime: "2026-11-20T10:00:02.000Z",
    });
    expect((await dana.readJob("cut")).status).toMatchObject({ succeeded: 1 });
    expect((await dana.jobLogs("cut"))[0]).toContain("interrupted by a restart of the engine");
    await close();
    await (await openEngine(dataDir)).close();
  });

  test.each(["state.sqlite", "logs.sqlite"])(
    "%s of a newer version is refused by name, and stays as it is",
    async (name) => {
      const dataDir = makeDataDir();
      await (await openEngine(dataDir)).close();
      edit(dataDir, (db) => db.exec("pragma user_version = 99"), name);

      const refused = openEngine(dataDir);

      await expect(refused).rejects.toThrow(
        `${join(dataDir, name)} was written by a newer version of Gantry (schema 99;`,
      );
    },
  );

  test.each(["state.sqlite", "logs.sqlite"])("%s is named when it is damaged", async (name) => {
    const dataDir = makeDataDir();
    await (await openEngine(dataDir)).close();
    writeFileSync(join(dataDir, name), "this is no database, and long enough to be told from an empty one".repeat(40));

    await expect(openEngine(dataDir)).rejects.toThrow(`Couldn't open ${join(dataDir, name)}: file is not a database.`);
  });
});

test("damage in the log file is said, and neither ends the engine nor keeps anything from running", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir);
  await userOf(first.engine).create("web", web);
  await userOf(first.engine).createJob("many", {
    containers: [{ image: "gantry/batch", command: ["300", "--delay", "1"] }],
  });
  await userOf(first.engine).ends("many");
  await first.close();
  const path = join(dataDir, "logs.sqlite");
  // All but the first page, which has the tables.
  const file = readFileSync(path);
  writeFileSync(path, file.fill(0xa5, 4096));
  const events: string[] = [];

  const { engine, close } = await openEngine(dataDir, { onEvent: (message) => events.push(message) });
  const dana = userOf(engine);
  await dana.reaches("web", "Running");
  const damaged = { status: 503, message: expect.stringContaining("its file logs.sqlite is damaged") };

  await expect(dana.logs("web")).rejects.toMatchObject(damaged);
  await expect(dana.jobLogs("many")).rejects.toMatchObject(damaged);
  await dana.restart("web");
  await dana.reaches("web", "Running");
  await dana.remove("web");
  expect(events.filter((message) => message === "the log file is damaged")).toHaveLength(1);
  await close();
});

test("a job never ends before it began, also when the clock jumps back; lists keep the order of creation", async () => {
  const dataDir = makeDataDir();
  let day = 20;
  const now = () => new Date(Date.UTC(2026, 10, (day -= 1)));
  const { engine, close } = await openEngine(dataDir, { clock: { ...machineClock, now } });
  const dana = userOf(engine);
  await dana.createJob("zeta", batch);
  await dana.createJob("alpha", batch);
  await dana.ends("zeta");
  await dana.ends("alpha");

  const { status, metadata } = await dana.readJob("zeta");
  const times = [metadata.creationTimestamp, status?.startTime, status?.completionTime].map(String);
  expect(times).toEqual(times.toSorted());
  await close();

  const again = await openEngine(dataDir);
  const { jobs } = await userOf(again.engine).listJobs();
  expect(jobs.map((job) => job.metadata.name)).toEqual(["zeta", "alpha"]);
  await again.close();
});
