import { connect } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import type { NewService } from "../../../../src/api/schema.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { alive, greet, isAlive, openEngine, pidIn, until, userOf } from "./support/engine-world.ts";

const { engine, close } = await openEngine(makeDataDir(), { allowHostCommands: true });
afterAll(() => close());
const dana = userOf(engine);

/** gantry/hello-web behind one port. */
function web(more: Partial<NewService> = {}, memory: string | number = "256"): NewService {
  return {
    containers: [{ image: "gantry/hello-web", ports: [{ port: 8080 }], resources: { limits: { memory } } }],
    port_mappings: [{ container_port: 8080 }],
    ...more,
  };
}

/** A host program given as JavaScript. */
function script(code: string): NewService {
  return { containers: [{ image: "host", command: [process.execPath, "-e", code] }] };
}

async function addressOf(name: string): Promise<string | undefined> {
  return (await dana.read(name)).default_domain_name;
}

describe("a running service", () => {
  test("answers through its service_url, each instance in turn", async () => {
    await dana.create("turns", web({ target_instance_size: 2 }));
    await dana.reaches("turns", "Running");

    const greetings = [await greet(await addressOf("turns")), await greet(await addressOf("turns"))];

    expect(greetings.toSorted().map((text) => text.split(" (")[0])).toEqual([
      "hello from turns-0 in beijing1",
      "hello from turns-1 in beijing1",
    ]);
  });

  test("is starting until its instances are ready, and can be changed meanwhile", async () => {
    await dana.create("early", script("setInterval(() => {}, 1000)"));

    const { status } = await dana.read("early");
    const refused = { status: 409, message: expect.stringContaining("early is starting") };

    expect(status).toBe("Starting");
    await expect(dana.start("early")).rejects.toMatchObject(refused);
    await dana.update("early", { target_instance_size: 2 });
    await dana.restart("early");
    await dana.reaches("early", "Running");
    expect(await dana.read("early")).toMatchObject({ target_instance_size: 2 });
  });

  test("that is still starting can be stopped", async () => {
    await dana.create("hasty", script("setInterval(() => {}, 1000)"));

    await dana.stop("hasty");

    await dana.reaches("hasty", "Stopped");
    expect(await dana.read("hasty")).toMatchObject({ status: "Stopped" });
  });

  test("keeps its address and its processes when it is scaled", async () => {
    await dana.create("scaled", web());
    await dana.reaches("scaled", "Running");
    const address = await addressOf("scaled");
    const before = pidIn(await greet(address));

    await dana.update("scaled", { target_instance_size: 2 });
    await dana.reaches("scaled", "Running");

    const pids = [pidIn(await greet(address)), pidIn(await greet(address))];
    expect(new Set(pids).size).toBe(2);
    expect(pids).toContain(before);
    await dana.update("scaled", { target_instance_size: 1 });
    await dana.reaches("scaled", "Running");
    expect(pidIn(await greet(address))).toBe(before);
    expect(await addressOf("scaled")).toBe(address);
  });

  test("gets other processes by a restart, at the same address", async () => {
    await dana.create("renewed", web({ target_instance_size: 2 }));
    await dana.reaches("renewed", "Running");
    const address = await addressOf("renewed");
    const before = [pidIn(await greet(address)), pidIn(await greet(address))];

    await dana.restart("renewed");
    const { status } = await dana.read("renewed");
    await dana.reaches("renewed", "Running");

    const after = [pidIn(await greet(address)), pidIn(await greet(address))];
    expect(status).toBe("Updating");
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(await alive(before)).toEqual([]);
  });

  test("is stopped and started again, and refuses connections between", async () => {
    await dana.create("paused", web());
    await dana.reaches("paused", "Running");
    const address = await addressOf("paused");
    const pid = pidIn(await greet(address));

    await dana.stop("paused");
    await dana.reaches("paused", "Stopped");

    expect(await isAlive(pid)).toBe(false);
    await expect(greet(address)).rejects.toThrow("fetch failed");
    await expect(dana.stop("paused")).rejects.toMatchObject({ status: 409 });
    await expect(dana.restart("paused")).rejects.toMatchObject({ status: 409 });
    await dana.start("paused");
    await dana.reaches("paused", "Running");
    expect(await greet(address)).toContain("hello from paused-0");
  });

  test("only remembers an update while it is stopped", async () => {
    await dana.create("asleep", web());
    await dana.reaches("asleep", "Running");
    await dana.stop("asleep");
    await dana.reaches("asleep", "Stopped");

    await dana.update("asleep", { target_instance_size: 2, containers: [{ resource: { limits: { memory: 512 } } }] });

    const asleep = await dana.read("asleep");
    expect(asleep).toMatchObject({ status: "Stopped", target_instance_size: 2 });
    expect(asleep.containers?.[0]?.resources).toEqual({ limits: { memory: "512" } });
    await dana.start("asleep");
    await dana.reaches("asleep", "Running");
    const address = await addressOf("asleep");
    expect(pidIn(await greet(address))).not.toBe(pidIn(await greet(address)));
  });

  test("gets other processes by a change of memory, none by a change of domains", async () => {
    await dana.create("tuned", web());
    await dana.reaches("tuned", "Running");
    const address = await addressOf("tuned");
    const first = pidIn(await greet(address));

    await dana.update("tuned", { binding_domain_name: ["tuned.example.com"] });
    const second = pidIn(await greet(address));
    await dana.update("tuned", { containers: [{ name: "tuned", resources: { limits: { memory: "1024Mi" } } }] });
    await dana.reaches("tuned", "Running");
    const third = pidIn(await greet(address));

    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect((await dana.read("tuned")).binding_domain_name).toEqual(["tuned.example.com"]);
  });

  test("is gone with its log after a deletion, and its name is free", async () => {
    await dana.create("brief", web());
    await dana.reaches("brief", "Running");
    const pid = pidIn(await greet(await addressOf("brief")));

    const answer = await dana.remove("brief");

    expect(answer).toBe("Service was deleted successfully");
    expect(await isAlive(pid)).toBe(false);
    await expect(dana.read("brief")).rejects.toMatchObject({ status: 404 });
    await expect(dana.logs("brief")).rejects.toMatchObject({ status: 404 });
    await dana.create("brief", web());
    expect((await dana.logs("brief")).filter(({ log }) => log.includes("GET /"))).toEqual([]);
  });

  test("accepts moves at the same time one after the other", async () => {
    await dana.create("hectic", web());
    await dana.reaches("hectic", "Running");

    const results = await Promise.allSettled([
      dana.stop("hectic"),
      dana.stop("hectic"),
      dana.start("hectic"),
      dana.remove("hectic"),
      dana.create("hectic", web()),
    ]);

    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      // It takes the stop back.
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
    await dana.reaches("hectic", "Running");
  });

  test("carries long answers and halves of connections through its address", async () => {
    const code = `require("net").createServer({ allowHalfOpen: true }, (socket) => {
      let length = 0;
      socket.on("data", (data) => (length += data.length)).on("end", () => socket.end("got " + length));
    }).listen(process.env.PORT_9000, "127.0.0.1")`;
    await dana.create("halves", { ...script(code), port_mappings: [{ container_port: 9000 }] });
    await dana.reaches("halves", "Running");
    const port = Number((await addressOf("halves"))?.split(":")[1]);
    await until(() => canConnect(port), "the port to answer");

    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      let text = "";
      socket.on("data", (data) => (text += data.toString())).on("error", reject);
      socket.on("end", () => resolve(text));
      socket.end(Buffer.alloc(2_000_000));
    });

    expect(answer).toBe("got 2000000");
  });
});

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => resolve(false)).on("close", () => resolve(false));
    setTimeout(() => resolve(!socket.destroyed), 50);
  });
}
