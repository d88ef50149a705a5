import { expect, test } from "vitest";
import { leaked } from "./counts.ts";
import { wrongWith } from "./judge.ts";
import { operations, requestNumber, type World } from "./requests.ts";

// The fuzz itself is `npm run test:fuzz`; this holds that it asks for everything, and that it can fail.

const world: World = { users: [{ username: "dana", token: "t" }], regions: ["us"], instances: [] };
const requests = (seed: number) => Array.from({ length: 500 }, (_, index) => requestNumber(index, seed, world));

test("a seed makes the same requests again, and another one makes others", () => {
  const first = requests(7).map(({ target }) => target);

  expect(requests(7).map(({ target }) => target)).toEqual(first);
  expect(requests(8).map(({ target }) => target)).not.toEqual(first);
});

test("all 14 operations are asked for, with sizes that no machine can have", () => {
  const all = requests(7);

  expect(new Set(all.map(({ op }) => op))).toEqual(new Set(operations));
  expect(operations).toHaveLength(14);
  const bodies = all.map(({ body }) => body?.toString("utf8", 0, 500) ?? "");
  expect(bodies.some((body) => /"target_instance_size":1e\+21|"target_instance_size":10000000000/.test(body))).toBe(
    true,
  );
  expect(bodies.some((body) => /"memory":1e\+21/.test(body))).toBe(true);
  expect(all.some(({ body }) => (body?.length ?? 0) > 1_000_000)).toBe(true);
});

const asked = { op: "listJobs", method: "GET", target: "/", headers: {}, body: undefined };
const sentence = '{"message":"there is no such path"}';

test.each([
  ["500, whatever it says", { status: 500, contentType: "application/json", body: sentence }, "it answered 500"],
  ["404 in HTML", { status: 404, contentType: "text/html", body: "<h1>" }, "content type"],
  ["400 without a sentence", { status: 400, contentType: "application/json", body: '{"message":"no"}' }, "sentence"],
  ["400 without a message", { status: 400, contentType: "application/json", body: "{}" }, "message"],
])("a %s is a failure", (_, answer, words) => {
  expect(wrongWith(asked, { ...answer, ms: 1 })).toContain(words);
});

test.each([200, 404, 503])("a %d with a sentence is none", (status) => {
  expect(wrongWith(asked, { status, contentType: "application/json", body: sentence, ms: 1 })).toBeUndefined();
});

test("descriptors, processes, files and bytes that stay are a leak", () => {
  const before = { descriptors: 30, processes: 0, files: 8, bytes: 100_000 };

  expect(leaked(before, { descriptors: 32, processes: 0, files: 8, bytes: 1_000_000 })).toBeUndefined();
  expect(leaked(before, { descriptors: 1_054, processes: 1, files: 200, bytes: 1e9 })).toBe(
    "descriptors 30 → 1054, processes 0 → 1, files 8 → 200, bytes 100000 → 1000000000",
  );
});
