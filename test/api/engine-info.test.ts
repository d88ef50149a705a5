import { describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { stillClock } from "../support/test-clock.ts";

type Fetch = Parameters<typeof sendTo>[0];

const region = { name: "us", version: "v1.20.2", cannot: [{ what: "custom domains", effect: "refused", why: "x" }] };
const engine = { name: "kubernetes", title: "Kubernetes", regions: [region] };

function apiOver(answer: Fetch) {
  const clock = stillClock();
  const asked: Request[] = [];
  const fetch: Fetch = (request) => {
    asked.push(request);
    return answer(request);
  };
  return { api: createApi({ baseUrl: "http://service.test/prefix/", send: sendTo(fetch), clock }), asked, clock };
}

const json =
  (body: unknown, status = 200): Fetch =>
  async () =>
    Response.json(body, { status });

test("the engine is read from the health page below the base, without a token, and counts as no call", async () => {
  const { api, asked } = apiOver(json({ status: "ok", engine }));

  const info = await api.engine();

  expect(info).toEqual({
    title: "Kubernetes",
    regions: [{ name: "us", version: "v1.20.2", cannot: ["custom domains"] }],
    takesAnyMemory: false,
    keepsRevisions: false,
    pushesChanges: false,
  });
  expect(asked.map(({ url, method }) => `${method} ${url}`)).toEqual(["GET http://service.test/prefix/healthz"]);
  expect([...(asked[0]?.headers.keys() ?? [])]).toEqual([]);
  expect(api.callsToday("dana").count).toBe(0);
});

test("an engine that takes any memory limit says so; whatever else it says means that it doesn't", async () => {
  const says = async (said: unknown) =>
    (await apiOver(json({ engine: { ...engine, update_memory: said } })).api.engine())?.takesAnyMemory;

  expect([await says("any"), await says("four"), await says(true)]).toEqual([true, false, false]);
});

test("an engine that runs only some images names them; whatever else it says means that it runs any", async () => {
  const says = async (images: unknown) => (await apiOver(json({ engine: { ...engine, images } })).api.engine())?.images;

  expect(await says(["gantry/batch", 7, "gantry/worker"])).toEqual(["gantry/batch", "gantry/worker"]);
  for (const other of [undefined, [], [7], "all", null]) expect(await says(other)).toBeUndefined();
});

test("an engine that tells of changes says so; whatever else it says means that it doesn't", async () => {
  const says = async (events: unknown) =>
    (await apiOver(json({ engine: { ...engine, events } })).api.engine())?.pushesChanges;

  expect([await says(true), await says("yes"), await says(undefined)]).toEqual([true, false, false]);
});

test("an engine that takes new images keeps revisions only if it says all of that", async () => {
  const says = async (updates: unknown) =>
    (await apiOver(json({ engine: { ...engine, updates } })).api.engine())?.keepsRevisions;

  expect(await says(["image", "env", "revision", "more"])).toBe(true);
  for (const less of [["image", "env"], [], "image", undefined, [1, null]]) expect(await says(less)).toBe(false);
});

test("many questions in a minute are one request, also when there is no such page", async () => {
  for (const answer of [json({ engine }), json({ message: "unknown path" }, 404)]) {
    const { api, asked, clock } = apiOver(answer);

    await Promise.all([api.engine(), api.engine()]);
    await clock.passMs(59_000);
    await api.engine();
    expect(asked.length).toBe(1);
    await clock.passMs(2_000);
    await api.engine();
    expect(asked.length).toBe(2);
  }
});

test("one that doesn't answer is asked again soon, and what it said before counts until then", async () => {
  let isAway = true;
  const page = json({ engine });
  const { api, asked, clock } = apiOver((request) =>
    isAway ? Promise.reject(new TypeError("fetch failed")) : page(request),
  );

  expect(await api.engine()).toBeUndefined();
  isAway = false;
  await clock.passMs(6_000);
  expect((await api.engine())?.title).toBe(engine.title);
  isAway = true;
  await clock.passMs(64_000);
  expect((await api.engine())?.title).toBe(engine.title);
  expect(asked.length).toBe(3);
});

test("one that isn't ready is named too; what is only partly different isn't listed", async () => {
  const limits = [...region.cannot, { what: "exact memory limits", effect: "partly", why: "y" }];
  const { api } = apiOver(
    json({ status: "not ready", engine: { ...engine, regions: [{ ...region, cannot: limits }] } }, 503),
  );

  expect(await api.engine()).toMatchObject({ regions: [{ cannot: ["custom domains"] }] });
});

describe("an absent or strange page is no engine, and no error", () => {
  test.each<[string, Fetch]>([
    ["no such page", json({ message: "unknown path" }, 404)],
    ["another health page", json({ status: "ok" })],
    ["text", async () => new Response("ok")],
    ["no JSON object", json([1])],
    ["an engine without a name", json({ engine: { regions: [] } })],
    ["a name as long as a book", json({ engine: { ...engine, title: "x".repeat(10_000) } })],
    ["too many bytes", json({ engine, filler: "x".repeat(100_000) })],
    ["a refused connection", () => Promise.reject(new TypeError("fetch failed"))],
  ])("%s", async (_, answer) => {
    expect(await apiOver(answer).api.engine()).toBeUndefined();
  });

  test("an answer that never comes", async () => {
    const { api, clock } = apiOver(() => new Promise(() => undefined));

    const asked = api.engine();
    await clock.passMs(1_000);

    expect(await asked).toBeUndefined();
  });
});

test("a strange region is left out, and the others are shown", async () => {
  const { api } = apiOver(
    json({ engine: { ...engine, regions: [{ name: 7 }, { name: "beijing1", cannot: "?" }, region] } }),
  );

  expect((await api.engine())?.regions.map(({ name, version }) => [name, version])).toEqual([
    ["beijing1", undefined],
    ["us", "v1.20.2"],
  ]);
});
