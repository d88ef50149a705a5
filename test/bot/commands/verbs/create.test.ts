import { expect, test, describe } from "vitest";
import { report, web, job, service } from "../../views/support/workloads.ts";
import { ableEngine, scripted, proposalTo, refuse, type Script } from "../support/script.ts";
import { filledIn, prefilled } from "../support/form-of.ts";

test.each([
  [
    "service web",
    "Service web already exists in beijing1.",
    "Choose another name, or see it with `/gantry show service/web`.",
  ],
  [
    "job report",
    "Job report already exists.",
    "Choose another name, or delete it first with `/gantry delete job/report`.",
  ],
])("a name that exists isn't created again: %s", async (named, message, next) => {
  const town = scripted({ services: [web], jobs: [report] });

  await expect(proposalTo(`create ${named} --image gantry/worker`, town)).rejects.toMatchObject({ message, next });
});

describe("create like this one", () => {
  test("copies everything of a service except its name, domains and environment values", async () => {
    const { notes, values, calls, asked } = await prefilled(
      "create",
      { kind: "service", like: "service/web" },
      { services: [web] },
    );

    expect(values).toMatchInlineSnapshot(`
      {
        "command": "--greeting "hello you"",
        "env": "LOG_LEVEL=
      API_TOKEN=",
        "image": "gantry/hello-web",
        "instances": "3",
        "kind": "service",
        "memory": "512",
        "mount": "data:/var/lib/data",
        "port": "8080",
        "publish": "8080",
        "region": "beijing1",
        "volume": "data=web-data:ro",
      }
    `);
    expect(notes).toMatchInlineSnapshot(`
      [
        "Copied from service web. Enter a new name.",
        "Environment values aren't copied. Enter them again: LOG_LEVEL, API_TOKEN.",
        "Not copied: 1 domain. A domain leads to one service only.",
      ]
    `);
    expect(calls).toEqual(["getService"]);
    expect(asked).toEqual(["getService"]);
  });

  test("with a name, it is complete", async () => {
    const { values = {} } = await prefilled("create", { like: "service/web" }, { services: [web] });

    expect(filledIn("create", { ...values, name: "web-2" })).toMatchObject({
      kind: "ask",
      ask: {
        verb: "create",
        args: { name: "web-2", env: ["LOG_LEVEL=", "API_TOKEN="], command: ["--greeting", "hello you"] },
      },
    });
  });

  test("what the platform added to a job is no volume of it", async () => {
    const spec = {
      template: {
        spec: {
          volumes: [{ name: "data" }, { name: "report-time-zone", hostPath: { path: "/etc/localtime" } }],
          containers: [
            {
              image: "gantry/batch",
              imagePullPolicy: "Always",
              resources: { limits: { memory: "1Gi" } },
              volumeMounts: [
                { name: "data", mountPath: "/data" },
                { name: "report-time-zone", mountPath: "/etc/localtime", readOnly: true },
              ],
            },
          ],
        },
      },
    };

    const { values } = await prefilled("create", { like: "job/report" }, { jobs: [{ ...job("report"), spec }] });

    expect(values).toEqual({
      kind: "job",
      image: "gantry/batch",
      memory: "1024",
      volume: "data",
      mount: "data:/data",
      "pull-always": "yes",
      "sync-timezone": "yes",
    });
  });

  test("the form gets the names of environment variables and none of their values", async () => {
    const env = Object.entries({
      DB_PASSWORD: "hunter2",
      BASIC_AUTH: "bob:swordfish",
      PGPASS: "tr0ub4dor",
      ROOT_PW: "opensesame",
      OTP_SEED: "abandon ability able",
      GH_PAT: "plainwords",
      SENTRY_DSN: "https://abc@sentry.example/1",
      GREETING: "hello there",
      LINES: "first\nsecond",
    }).map(([name, value]) => ({ name, value }));
    const like = service("web", { containers: [{ image: "x", env }] });

    const { notes = [], values } = await prefilled("create", { like: "service/web" }, { services: [like] });

    expect(values?.["env"]).toBe(env.map(({ name }) => `${name}=`).join("\n"));
    expect(notes).toContain(
      `Environment values aren't copied. Enter them again: ${env.map(({ name }) => name).join(", ")}.`,
    );
    for (const { value } of env) expect(JSON.stringify([notes, values])).not.toContain(value);
  });

  test("a command with a secret, and what does not fit into a field, are left out and named", async () => {
    const like = service("web", {
      containers: [
        {
          image: "a b".repeat(200),
          command: ["serve", "--api-token", "s3cr3t-s3cr3t"],
        },
        {},
      ],
    });

    const { notes, values } = await prefilled("create", { like: "service/web" }, { services: [like] });

    expect(JSON.stringify(values)).not.toContain("s3cr3t");
    expect(values).not.toHaveProperty("image");
    expect(notes).toEqual(
      expect.arrayContaining([
        "Not copied, because it's too long or looks like a secret: Image, Command.",
        "Only the first of its 2 containers is copied.",
      ]),
    );
  });

  test("nobody copies what they may not see", async () => {
    const script: Script = { services: [web], permissions: () => refuse };

    await expect(prefilled("create", { like: "service/web" }, script)).rejects.toThrow("No rule lets a guest do this.");
    await expect(prefilled("create", { like: "web" }, script)).rejects.toThrow("No rule lets a guest do this.");
  });
});

test("the form names the images that can run, where not every image can", async () => {
  const only = { ...ableEngine, images: ["gantry/hello-web", "gantry/batch"] };

  const { notes } = await prefilled("create", {}, { engine: only });

  expect(notes).toEqual(["Only these images run here, with any tag: gantry/hello-web, gantry/batch."]);
  expect((await prefilled("create", {}, { engine: ableEngine })).notes).toEqual([]);
});
