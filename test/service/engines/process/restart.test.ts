import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { testClock } from "../../../support/test-clock.ts";
import { storedServices } from "../../../../src/service/workloads/state/store.ts";
import { pidsOf, readState, stubborn } from "./support/engine-process.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { alive, greet, isAlive, openEngine, pidIn, until, userOf } from "./support/engine-world.ts";

const web = {
  containers: [{ image: "gantry/hello-web" }],
  port_mappings: [{ container_port: 8080 }],
};

describe("after a restart of the engine", () => {
  test("a finished job is still there, an interrupted one runs again from the start in the same instance", async () => {
    const dataDir = makeDataDir();
    const first = await openEngine(dataDir);
    const before = userOf(first.engine);
    await before.createJob("done", { containers: [{ image: "gantry/batch", command: ["1", "--delay", "1"] }] });
    await before.createJob("cut", { containers: [{ image: "gantry/batch", command: ["5", "--delay", "60"] }] });
    await before.ends("done");
    const done = await before.readJob("done");
    const [instance] = (await before.readJob("cut")).instance_names ?? [];
    await until(async () => (await before.jobLogs("cut")).length > 0, "the first step");
    await first.close();

    const second = await openEngine(dataDir);
    const after = userOf(second.engine);
    await after.ends("cut");

    // A job's version is saved after its end is told.
    const metadata = { ...done.metadata, resourceVersion: expect.any(String) };
    expect(await after.readJob("done")).toEqual({ ...done, metadata });
    const cut = await after.readJob("cut");
    expect(cut.instance_names).toEqual([instance]);
    expect(cut.status).toMatchObject({ succeeded: 1 });
    expect(cut.status).not.toHaveProperty("failed");
    const lines = await after.jobLogs("cut");
    const again = lines.indexOf(
      `[gantry] interrupted by a restart of the engine: ${instance} runs again from the start`,
    );
    expect(lines.slice(again + 1)).toEqual([1, 2, 3, 4, 5].map((step) => `step ${step} of 5`).concat("done, exit 0"));
    await second.close();
  });

  test("a port that somebody else took meanwhile is another one until it is free again, and its owner is told", async () => {
    const dataDir = makeDataDir();
    const first = await openEngine(dataDir);
    await userOf(first.engine).create("web", web);
    const { default_domain_name: address = "" } = await userOf(first.engine).read("web");
    await first.close();
    const thief = spawn(process.execPath, [
      "-e",
      `require("net").createServer().listen(${address.split(":")[1]}, "127.0.0.1", () => console.log("taken"))`,
    ]);
    await new Promise((resolve) => thief.stdout.once("data", resolve));
    const events: string[] = [];

    const second = await openEngine(dataDir, { onEvent: (message) => events.push(message) });
    const after = userOf(second.engine);
    await after.reaches("web", "Running");

    const { default_domain_name: other, message } = await after.read("web");
    const said = `its address ${address} is taken by another program: it answers at ${other} until that is free`;
    expect(other).not.toBe(address);
    expect(message).toBe(said);
    expect(await greet(other)).toContain("hello from web-0");
    expect((await after.logs("web")).map(({ log }) => log)).toContain(`[gantry] ${said}`);
    await second.close();

    // The address stays the service's own, also for the next server.
    const third = await openEngine(dataDir, { onEvent: (message) => events.push(message) });
    const later = userOf(third.engine);
    await later.reaches("web", "Running");
    expect((await later.read("web")).message).toContain(`its address ${address} is taken`);
    thief.kill();
    await until(async () => (await later.read("web")).default_domain_name === address, "its own address");
    expect((await later.read("web")).message).toBeUndefined();
    expect(await greet(address)).toContain("hello from web-0");
    const log = (await later.logs("web")).map((line) => line.log);
    expect(log).toContain(`[gantry] it answers at its own address again: ${address}`);
    expect(events.filter((event) => /port/u.test(event))).toEqual([
      "another program has the port of a service, which answers at another one until that is free",
      "another program has the port of a service, which answers at another one until that is free",
      "a service has its own port again",
    ]);
    await third.close();
  });
});

describe("when the engine closes", () => {
  test("nothing is left behind, and programs that ignore SIGTERM are killed after the grace time", async () => {
    const { engine, close } = await openEngine(makeDataDir(), { allowHostCommands: true, graceMs: 300 });
    const dana = userOf(engine);
    await dana.create("stubborn", { containers: [stubborn] });
    const pids = await until(async () => {
      const found = await pidsOf(dana, "stubborn");
      return found.length > 0 && found;
    }, "the program");
    expect(await alive(pids)).toEqual(pids);
    const before = performance.now();

    await close();

    expect(performance.now() - before).toBeGreaterThanOrEqual(290);
    expect(await alive(pids)).toEqual([]);
    await expect(dana.list()).rejects.toMatchObject({ status: 503 });
  });

  test("its programs end, even if they are to be kept: it says that it can't keep them", async () => {
    const { engine, close, keepsWorkloads } = await openEngine(makeDataDir());
    const dana = userOf(engine);
    await dana.create("web", web);
    await dana.reaches("web", "Running");
    const pid = pidIn(await greet((await dana.read("web")).default_domain_name));

    await close({ keepWorkloads: true });

    expect(keepsWorkloads).toBe(false);
    expect(await isAlive(pid)).toBe(false);
  });

  test("a deletion that takes long is answered, is visible, and is over before it has closed", async () => {
    const dataDir = makeDataDir();
    const clock = testClock();
    const slow = await openEngine(dataDir, { clock, allowHostCommands: true, graceMs: 60_000 });
    const dana = userOf(slow.engine);
    await dana.create("stubborn", { containers: [stubborn] });
    await until(async () => (await pidsOf(dana, "stubborn")).length > 0, "the program");

    const removed = dana.remove("stubborn");
    await until(async () => (await dana.read("stubborn")).status === "Deleting", "the deletion to begin");
    clock.passMs(2_000);
    await removed;
    const { status } = await dana.read("stubborn");
    await expect(dana.create("stubborn", web)).rejects.toMatchObject({ status: 409 });
    clock.passMs(60_000);
    await slow.close();

    expect(status).toBe("Deleting");
    expect(await readState(dataDir, storedServices)).toEqual([]);
  });
});

test("a second engine in the same folder is refused with a sentence, until the first has closed", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir);

  const refused = openEngine(dataDir);

  await expect(refused).rejects.toThrow(
    `another process engine (process ${process.pid}) uses ${dataDir}: stop it, or choose another data folder`,
  );
  await first.close();
  const second = await openEngine(dataDir);
  await second.close();
});
