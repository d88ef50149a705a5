import { afterAll, expect, test } from "vitest";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, until, userOf } from "./support/engine-world.ts";

const { engine, close } = await openEngine(makeDataDir(), { allowHostCommands: true });
afterAll(() => close());
const dana = userOf(engine);

test.runIf(process.platform === "linux")(
  "a program that takes more than its limit is killed, and its log says why",
  async () => {
    const greedy = `const all = []; setInterval(() => all.push(Buffer.alloc(40 << 20, 1)), 20)`;
    const command = [process.execPath, "-e", greedy];
    await dana.create("greedy", {
      containers: [{ image: "host", command, resources: { limits: { memory: "160Mi" } } }],
    });

    const line = await until(
      async () => (await dana.logs("greedy")).find(({ log }) => log.includes("out of memory")),
      "the program to be killed",
    );

    expect(line.log).toMatch(/^\[gantry\] out of memory: \d+ MiB used, the limit is 160 MiB, killed$/);
    await until(
      async () =>
        (await dana.logs("greedy")).some(({ log }) => log.includes("exited with code 137 (out of memory), restarting")),
      "the restart to be said",
    );
    await dana.remove("greedy");
  },
);

test("a limit that is too small to start is answered as it was given, and the log says what is enforced", async () => {
  const resources = { limits: { memory: "16" } };
  await dana.create("tiny", { containers: [{ image: "gantry/hello-web", resources }] });

  await dana.reaches("tiny", "Running");

  expect((await dana.read("tiny")).containers?.[0]?.resources).toEqual({
    limits: { memory: "16" },
    enforced: { memory: "128" },
  });
  expect((await dana.logs("tiny"))[0]?.log).toContain("16 MiB is too small to start a program: 128 MiB is enforced");
});
