import { describe, expect, test } from "vitest";
import type { Engine } from "../../../src/service/engine.ts";
import { idle, service, services } from "../support/asked-service.ts";
import { images } from "../support/memory-store.ts";

describe("what is sent", () => {
  const post = (body: unknown, headers: object = {}) =>
    service().ask(`${services}/web`, { method: "POST", body: JSON.stringify(body), headers });
  const containers = [{ image: images.web }];

  test.each<[unknown, string]>([
    [[], "the body must be an object"],
    [{}, "containers is required"],
    [{ containers: [] }, "containers must not be empty"],
    [{ containers: [{}] }, "containers[0].image is required"],
    [{ containers: [{ image: "" }] }, "containers[0].image must not be empty"],
    [{ containers: [{ image: images.web, command: "run" }] }, "containers[0].command must be a list"],
    [{ containers: [{ image: images.web, env: [{ value: "s3cret" }] }] }, "containers[0].env[0].name is required"],
    [{ containers, target_instance_size: 1.5 }, "target_instance_size must be a whole number"],
    [{ containers, target_instance_size: -1 }, "target_instance_size must be at least 0"],
    [{ containers, sync_timezone: 1 }, "sync_timezone must be true or false"],
    [
      { containers, port_mappings: [{ container_port: 70_000 }] },
      "port_mappings[0].container_port must be at most 65535",
    ],
    [
      { containers: [{ image: images.web, ports: Array.from({ length: 11 }, () => ({ port: 1 })) }] },
      "containers[0].ports must have at most 10 entries",
    ],
    [
      { containers: [{ image: images.web, resources: { limits: { memory: "12GB" } } }] },
      "containers[0].resources.limits.memory isn't valid: A memory size from 1 MiB to 1 TiB. A number without a unit " +
        'is MiB (`512`, `"512"`); the units are `B` (bytes), `k` or `K`, `M`, `G`, `T` (powers of 1000) and `Ki`, `Mi`, ' +
        "`Gi`, `Ti` (powers of 1024). A fraction of a MiB is rounded up.",
    ],
    [
      { containers, target_instance_sise: 2 },
      "target_instance_sise isn't a property of this request: did you mean target_instance_size?",
    ],
    [
      { containers: [{ image: images.web, resource: {} }] },
      "containers[0].resource isn't a property of this request: did you mean resources?",
    ],
    [
      { containers: [{ image: images.web, resources: { limits: { cpu: "500m" } } }] },
      "containers[0].resources.limits.cpu isn't a property of this request: use only memory",
    ],
    [
      { containers: [{ image: images.web, resources: { limits: { memory: "2Ti" } } }] },
      "containers[0].resources.limits.memory must be from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi",
    ],
    [
      { containers, port_mappings: [{ container_port: 53, protocol: "udp" }] },
      "port_mappings[0].protocol isn't valid: `TCP` or `tcp`, the default; no other protocol works. The API's " +
        "examples have upper case for containers and lower case for mappings.",
    ],
  ])("the body %j is refused with the field and the rule, without its values", async (body, message) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { message } });
  });

  test("a property name of a megabyte is not echoed", async () => {
    const { status, body } = await post({ containers, [`x\n${"y".repeat(900_000)}`]: 1 });

    expect(status).toBe(400);
    expect(body.message).toMatch(
      /^x\?y{58}… isn't a property of this request: use only target_instance_size, containers, /u,
    );
  });

  test.each([
    ["?from=x", "from must be a whole number"],
    ["?from=-1", "from must be at least 0"],
    ["?from=1e3", "from must be a whole number"],
    ["?size=1001", "size must be at most 1000"],
    ["?size=1&size=2", "size is repeated: send it once"],
    ["?date=2026-11-20", "date isn't valid: The day, as year.month.day in digits."],
    ["?date=2026.02.30", "date 2026.02.30 doesn't exist"],
    ["?date=0000.01.01", "date 0000.01.01 doesn't exist"],
    ["?date=2026.11.22", "date 2026.11.22 is in the future: today is 2026.11.21 in UTC"],
  ])("the query %s is refused", async (query, message) => {
    const { ask } = service({ clock: { now: () => new Date("2026-11-21T23:59:59Z") } });

    expect(await ask(`${services}/web/logs${query}`)).toMatchObject({ status: 400, body: { message } });
  });

  test("the engine is given numbers, defaults and days with two digits, and never what the contract does not name", async () => {
    const asked: unknown[] = [];
    const getServiceLogs: Engine["getServiceLogs"] = async ({ path, query, user }) => {
      asked.push({ path, query, user });
      return [];
    };
    const { ask } = service({ clock: { now: () => new Date("2026-11-21T00:00:00Z") } }, () => ({ getServiceLogs }));

    await ask(`${services}/web/logs?date=2026.2.3&from=7&secret=1`);
    await ask(`${services}/web/logs`);

    const path = { region: "us", service_name: "web" };
    const user = { username: "dana" };
    expect(asked).toEqual([
      { path, user, query: { date: "2026.02.03", from: 7, size: 100 } },
      { path, user, query: { from: 0, size: 100 } },
    ]);
  });

  test("a body of another type, no JSON, broken UTF-8 and no body at all are 400 and are not quoted", async () => {
    const { ask } = service();
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: object = {}) =>
      ask(`${services}/web`, { method: "POST", body, headers });

    const replies = [
      await send(idle, { "Content-Type": "application/x-www-form-urlencoded" }),
      await send('{"containers": s3cret}'),
      await send(new Uint8Array([0x22, 0xff, 0x22])),
      await ask(`${services}/web`, { method: "POST" }),
    ];

    expect(replies.map(({ status, body }) => `${status} ${body.message}`)).toMatchInlineSnapshot(`
      [
        "400 the body must be JSON: send the header Content-Type: application/json",
        "400 the body isn't valid JSON in UTF-8",
        "400 the body isn't valid JSON in UTF-8",
        "400 a JSON body is required",
      ]
    `);
    const withCharset = { "Content-Type": "Application/JSON; charset=utf-8" };
    expect(await send(idle, withCharset)).toMatchObject({ status: 200 });
  });

  test("a name that an object has twice, and a compressed body, are refused instead of guessed", async () => {
    const { ask } = service();
    const send = (body: string, headers: object = {}) => ask(`${services}/web`, { method: "POST", body, headers });
    const image = JSON.stringify(images.web);
    const sizes = `{"containers": [{"image": ${image}}], "target_instance_size": 1, "target_instance_size" :2}`;
    const escaped = `{"containers": [{"image": ${image}, "im\\u0061ge": "b"}]}`;
    const twoObjects = `{"containers": [{"image": ${image}, "command": ["{\\"image\\":", "image"]}, {"image": ${image}}]}`;
    const deep = `{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`;

    const replies = [
      await send(sizes),
      await send(escaped),
      await send('{"a b c": 1, "a b c": 2}'),
      await send(twoObjects),
      await send(deep),
      await send(idle, { "Content-Encoding": "gzip" }),
      await send(idle, { "Content-Encoding": "Identity" }),
    ];

    expect(replies.map(({ status, body }) => [status, body.message])).toEqual([
      [400, "target_instance_size occurs twice in one object: send it once"],
      [400, "image occurs twice in one object: send it once"],
      [400, "a name in the body occurs twice in one object: send it once"],
      [200, undefined],
      [400, "containers is required"],
      [415, "the body is encoded: send it as it is, without the header Content-Encoding"],
      [409, "the name web is taken"],
    ]);
  });

  test("a body over the limit is refused by its length before it is read", async () => {
    let isRead = false;
    const body = new ReadableStream(
      {
        pull() {
          isRead = true;
        },
      },
      { highWaterMark: 0 },
    );

    const reply = await service().ask(`${services}/web`, {
      method: "POST",
      body,
      headers: { "Content-Length": "1000001" },
    });

    expect(reply).toMatchObject({ status: 413, body: { message: expect.stringContaining("1000000 bytes") } });
    expect(isRead).toBe(false);
  });

  test("a body without a length is read up to the limit and no further", async () => {
    let chunks = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          chunks += 1;
          controller.enqueue(new Uint8Array(100_000).fill(0x20));
        },
      },
      { highWaterMark: 0 },
    );

    const reply = await service().ask(`${services}/web`, { method: "POST", body });

    expect(reply.status).toBe(413);
    expect(chunks).toBe(11);
  });

  test("a body that breaks off is the sender's fault and nothing for the log", async () => {
    const { ask, logged } = service();
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("connection lost")) });

    const reply = await ask(`${services}/web`, { method: "POST", body });

    expect(reply).toMatchObject({ status: 400, body: { message: expect.stringContaining("the body is incomplete") } });
    expect(logged).toEqual([]);
  });

  test("a body of exactly the limit is taken", async () => {
    const { ask } = service();

    const reply = await ask(`${services}/web`, { method: "POST", body: idle.padEnd(1_000_000) });

    expect(reply.status).toBe(200);
  });
});
