import { connect } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import type { NewService } from "../../../../src/api/schema.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { alive, greet, openEngine, pidIn, until, userOf } from "./support/engine-world.ts";

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
