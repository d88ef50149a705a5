import { afterAll, describe, expect, test } from "vitest";
import { makeDataDir } from "../support/data-dir.ts";
import { greet, openEngine, until, userOf } from "../support/engine-world.ts";

const { engine, close } = await openEngine(makeDataDir(), { allowHostCommands: true });
afterAll(() => close());
const dana = userOf(engine);

describe("what a program is given", () => {
  test("its environment, names, ports and volumes, and nothing of the engine's own environment", async () => {
    process.env["SLACK_BOT_TOKEN_OF_TEST"] = "not for workloads";
    const code = `console.log(JSON.stringify(process.env)); setInterval(() => {}, 1000)`;
    await dana.create("curious", {
      containers: [
        {
          image: "host",
          command: [process.execPath, "-e", code],
          env: [{ name: "LOG_LEVEL", value: "debug" }, { name: "EMPTY" }, { name: "REGION", value: "elsewhere" }],
          ports: [{ port: 80 }, { port: 81 }],
          volumeMounts: [{ name: "my-data", mountPath: "/var/lib/data" }],
        },
      ],
      port_mappings: [{ container_port: 80 }, { container_port: 81 }],
      volumes: [
        { name: "my-data", disk_name: "disk-1", is_read_only: true },
        { name: "unused", disk_name: "disk-2" },
      ],
    });
    const env = await until(async () => {
      const line = (await dana.logs("curious")).find(({ log }) => log.startsWith("{"));
      return line && JSON.parse(line.log);
    }, "the environment");

    expect(env).toMatchObject({
      LOG_LEVEL: "debug",
      EMPTY: "",
      INSTANCE_NAME: "curious-0",
      REGION: "beijing1",
      TZ: "UTC",
      PORT_80: env.PORT,
      GANTRY_VOLUME_MY_DATA: expect.stringMatching(/disks\/dana\/beijing1\/disk-1$/),
      GANTRY_MOUNT_MY_DATA: "/var/lib/data:ro",
    });
    expect(Number(env.PORT_81)).toBeGreaterThan(0);
    expect(env).not.toHaveProperty("GANTRY_VOLUME_UNUSED");
    expect(env).not.toHaveProperty("SLACK_BOT_TOKEN_OF_TEST");
    expect(env).not.toHaveProperty("NODE_COMPILE_CACHE");
    expect((await dana.logs("curious"))[0]?.log).toContain("the volume my-data is read-only, but this isn't enforced");
  });

  test("an environment that would load other code into a catalogue program does nothing", async () => {
    const env = [{ name: "NODE_OPTIONS", value: "--import data:text/javascript,process.exit(9)" }];
    const port_mappings = [{ container_port: 8080 }];
    await dana.create("guarded", { containers: [{ image: "gantry/hello-web", env }], port_mappings });

    await dana.reaches("guarded", "Running");

    expect(await greet((await dana.read("guarded")).default_domain_name)).toContain("hello from guarded-0");
  });
});
