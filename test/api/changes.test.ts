import { expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import { sendTo } from "../../src/platform/http/send.ts";

type Fetch = Parameters<typeof sendTo>[0];

const dana = { username: "dana", token: "secret-token-of-dana" };
const never = new AbortController().signal;

function apiOver(answer: Fetch) {
  const asked: Request[] = [];
  const fetch: Fetch = (request) => {
    asked.push(request);
    return answer(request);
  };
  const api = createApi({ baseUrl: "http://service.test/prefix/", send: sendTo(fetch) });
  const changes = (after?: string, region = "us") => api.changes(dana, { region, after, signal: never });
  return { api, asked, changes };
}

const json =
  (body: unknown, status = 200): Fetch =>
  async () =>
    Response.json(body, { status });

test("changes are waited for below the base, as this user, from the last cursor on, and count as no call", async () => {
  const { api, asked, changes } = apiOver(json({ cursor: "b.2", changed: ["job", "weather"], more: 1 }));

  // A kind that a newer server knows is none of ours.
  expect(await changes("a b.1")).toEqual({ cursor: "b.2", changed: ["job"] });
  await changes();

  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET http://service.test/prefix/v1/regions/us/events?wait=25&after=a+b.1",
    "GET http://service.test/prefix/v1/regions/us/events?wait=25",
  ]);
  expect(asked[0]?.headers.get("username")).toBe("dana");
  expect(asked[0]?.headers.get("authorization")).toBe("token secret-token-of-dana");
  expect(api.callsToday("dana").count).toBe(0);
});

test.each<[string, Fetch]>([
  ["a page that isn't there", json({ message: "unknown path" }, 404)],
  ["a refusal", json({ message: "too many" }, 429)],
  ["an answer of another form", json({ cursor: 1, changed: "all" })],
  ["an endless list of kinds", json({ cursor: "a", changed: Array.from({ length: 11 }, () => "job") })],
  ["no JSON", async () => new Response("<html>")],
  ["more than anybody would say", async () => new Response("x".repeat(70_000))],
  ["a broken connection", async () => Promise.reject(new TypeError("fetch failed"))],
])("%s tells nothing", async (_, answer) => {
  expect(await apiOver(answer).changes()).toBeUndefined();
});

test("a region that no path can name is never asked for", async () => {
  const { asked, changes } = apiOver(json({ cursor: "a", changed: [] }));
  expect([await changes(undefined, ".."), await changes(undefined, "a/b")]).toEqual([undefined, undefined]);
  expect(asked).toEqual([]);
});

test("who gives up is let go at once", async () => {
  const { api } = apiOver(() => new Promise(() => undefined));
  const leaving = new AbortController();
  const waiting = api.changes(dana, { region: "us", after: undefined, signal: leaving.signal });
  leaving.abort();
  expect(await waiting).toBeUndefined();
});
