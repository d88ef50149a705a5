import { describe, expect, test } from "vitest";
import { alex, dana, idle, service, services } from "../support/asked-service.ts";

describe("who asks", () => {
  test("each user gets in with the own token, whatever the case of the scheme", async () => {
    const { ask } = service();

    const statuses = [
      await ask(services),
      await ask(services, { headers: { username: "alex", Authorization: `token ${alex.token}` } }),
      await ask(services, { headers: { Authorization: `Token  ${dana.token}` } }),
    ].map(({ status }) => status);

    expect(statuses).toEqual([200, 200, 200]);
  });

  test("a stranger learns what to send, and neither which half was wrong nor what there is", async () => {
    const { ask } = service();
    const known = await ask(services, { headers: { Authorization: "token wrong" } });
    const unknown = await ask("/v1/nowhere", { headers: { username: "__proto__", Authorization: "token wrong" } });

    expect([known.status, unknown.status]).toEqual([401, 401]);
    expect(unknown.body).toEqual(known.body);
    expect(known.body).toMatchInlineSnapshot(`
      {
        "message": "the user name or the token is missing, unknown or expired: send the headers \`username: <USER_NAME>\` and \`Authorization: token <API_TOKEN>\`",
      }
    `);
    expect(known.headers.get("www-authenticate")).toBe('token realm="workloads"');
  });
});

describe("where it leads", () => {
  test.each([
    ["nothing", "/"],
    ["an unknown path", "/v1/regions/us/pods"],
    ["a trailing slash", `${services}/`],
    ["a doubled slash", "/v1/regions/us//services"],
    ["an empty region", "/v1/regions//services"],
    ["another case", "/V1/regions/us/services"],
    ["an encoded word of the path", "/v1/regions/us/service%73"],
    ["an encoded verb", `${services}/web/%73tart`],
    ["more than there is", `${services}/web/start/now`],
  ])("%s is 404", async (_, path) => {
    const reply = await service().ask(path, { method: "GET" });

    expect(reply).toMatchObject({ status: 404, body: { message: expect.stringContaining("unknown path") } });
  });

  test.each([
    ["an encoded slash", `${services}/web%2Fstart`],
    ["an encoded slash that leads up", `${services}/..%2F..%2Fjobs`],
    ["an encoded backslash", `${services}/a%5Cb`],
    ["an encoded zero", `${services}/web%00`],
    ["a broken percent sign", `${services}/web%2`],
    ["bytes that are no UTF-8", `${services}/web%ff`],
    ["a name that is encoded twice", `${services}/%252e%252e`],
  ])("%s in a name is 400 and never another route", async (_, path) => {
    const { ask } = service();
    await ask(`${services}/web`, { method: "POST", body: idle });

    const replies = [await ask(path), await ask(path, { method: "DELETE" })];

    expect(replies.map(({ status }) => status)).toEqual([400, 400]);
    expect((await ask(`${services}/web`)).status).toBe(200);
  });

  test("a name may be encoded where it need not be", async () => {
    const { ask } = service();
    await ask(`${services}/web`, { method: "POST", body: idle });

    expect(await ask(`${services}/w%65b`)).toMatchObject({ status: 200, body: { name: "web" } });
  });

  test("another method is 405 and names those of the path", async () => {
    const { ask } = service();

    const replies = [
      await ask(`${services}/web`, { method: "PATCH" }),
      await ask(`${services}/web/start`),
      await ask(services, { method: "OPTIONS" }),
    ];

    expect(replies.map(({ status, headers }) => `${status} ${headers.get("allow")}`)).toMatchInlineSnapshot(`
      [
        "405 GET, HEAD, PUT, POST, DELETE",
        "405 PUT",
        "405 GET, HEAD",
      ]
    `);
    expect(replies[1]?.body).toMatchInlineSnapshot(`
      {
        "message": "this path takes only PUT",
      }
    `);
  });

  test("HEAD is GET without a body", async () => {
    const { ask } = service();

    const [list, unknown] = [await ask(services, { method: "HEAD" }), await ask(`${services}/no`, { method: "HEAD" })];

    expect([list.status, list.body, unknown.status, unknown.body]).toEqual([200, "", 404, ""]);
  });

  test("under a base path everything is there and nothing elsewhere", async () => {
    const { ask } = service({ basePath: "/workloads/" });
    await ask(`/workloads${services}/web`, { method: "POST", body: idle });

    const statuses = [await ask(`/workloads${services}/web`), await ask(`${services}/web`), await ask("/workloads")];

    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404]);
  });

  test("services outside of the given regions are refused before the engine is asked", async () => {
    const { ask } = service({ regions: ["us"] }, () => ({ listServices: () => Promise.reject(new Error("asked")) }));

    const reply = await ask("/v1/regions/beijing1/services");

    expect(reply).toMatchObject({ status: 400, body: { message: expect.stringContaining("us") } });
  });
});
