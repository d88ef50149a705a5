import { afterAll, describe, expect, test } from "vitest";
import type { NewService } from "../../../../src/api/schema.ts";
import { serviceStatus } from "../../../../src/api/workload-status.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, until, userOf } from "./support/engine-world.ts";

// Failures are forgotten after ten times the first wait: longer than a busy machine needs to start a program.
const { engine, close } = await openEngine(makeDataDir(), {
  allowHostCommands: true,
  backOffMs: { first: 200, max: 1_600 },
});
afterAll(() => close());
const dana = userOf(engine);

/** A host program given as JavaScript. */
function script(code: string): NewService {
  return { containers: [{ image: "host", command: [process.execPath, "-e", code] }] };
}

/** The service while it should run, once it has crashed that often. */
async function restartsOf(name: string, count: number) {
  const service = await dana.read(name);
  return (service.restarts?.count ?? 0) >= count && service.status === "Running" ? service : undefined;
}

describe.concurrent("a service that crashes", () => {
  test("is started again after a growing wait, is Failed when it goes on, and says so in its log", async () => {
    await dana.create("broken", { containers: [{ image: "gantry/flaky", command: ["--after", "0", "--exit", "3"] }] });
    await dana.reaches("broken", "Failed");
    await until(async () => (await dana.logs("broken")).length > 12, "some attempts");

    const lines = (await dana.logs("broken")).map(({ log }) => log);

    const said = lines.filter((line) => line.startsWith("[gantry]"));
    expect(said.slice(0, 3)).toEqual([
      "[gantry] instance broken-0 exited with code 3, restarting in 200 ms",
      "[gantry] instance broken-0 exited with code 3, restarting in 400 ms",
      "[gantry] instance broken-0 exited with code 3, restarting in 800 ms",
    ]);
    expect(lines[1]).toBe("Error: lost the connection to the database");
    await dana.stop("broken");
    await dana.reaches("broken", "Stopped");
  });

  test("is never quietly well: its restarts are counted with how it ended, and every view counts them", async () => {
    await dana.create("flaky", {
      containers: [{ image: "gantry/flaky", command: ["--after", "1400", "--exit", "1"] }],
    });

    const seen = await until(async () => restartsOf("flaky", 2), "the second restart");

    expect(seen.restarts?.last_reason).toBe("flaky-0 exited with code 1");
    expect(seen.restart_count).toBe(seen.restarts?.count);
    expect(seen.last_state).toEqual({ reason: "Error", exit_code: 1, finished_at: expect.any(String) });
    expect(serviceStatus(seen).facts).toMatch(/^exit 1, \d+ restarts in/);
    expect(serviceStatus(seen).level).toBe("failing");
    await dana.remove("flaky");
  });

  test("can be started by hand, which forgets the failures and tries at once", async () => {
    await dana.create("kicked", { containers: [{ image: "gantry/flaky", command: ["--after", "0"] }] });
    await dana.reaches("kicked", "Failed");

    await dana.start("kicked");
    const kicked = await dana.read("kicked");

    expect(kicked).toMatchObject({ status: "Starting", restarts: { count: 0 }, restart_count: 0 });
    expect(kicked).not.toHaveProperty("message");
    await dana.reaches("kicked", "Failed");
    await dana.remove("kicked");
  });

  test("is started again also after an exit with 0, and runs on", async () => {
    await dana.create("once", script("setTimeout(() => process.exit(0), 250)"));
    await dana.reaches("once", "Running");

    await until(async () => (await dana.logs("once")).length > 0, "an exit");

    expect((await dana.logs("once"))[0]?.log).toContain("instance once-0 exited with code 0, restarting in");
  });

  test("says in its log what was wrong with its arguments", async () => {
    await dana.create("mistyped", { containers: [{ image: "gantry/hello-web", command: ["--greting", "hi"] }] });
    await dana.reaches("mistyped", "Failed");

    const lines = (await dana.logs("mistyped")).map(({ log }) => log);

    expect(lines.slice(0, 3)).toEqual([
      expect.stringContaining("'--greting'"),
      "usage: [--greeting TEXT] [--heartbeat MS]",
      "[gantry] instance mistyped-0 exited with code 2, restarting in 200 ms",
    ]);
  });

  test("says when a host program does not exist", async () => {
    await dana.create("absent", { containers: [{ image: "host", command: ["/no/such/program"] }] });

    await dana.reaches("absent", "Failed");

    expect((await dana.logs("absent"))[0]?.log).toContain("can't run /no/such/program: ");
  });
});
