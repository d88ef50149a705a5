import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSliced } from "../../src/api/sliced-json.ts";
import { cases } from "../support/full-run.ts";
import { apiAnswering, calls } from "./calls.ts";

/** As it comes over a network: in pieces, one of them empty. */
function* piecesOf(text: string, length: number): Generator<string> {
  yield "";
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

async function sliced(text: string, size: number): Promise<unknown> {
  const services: unknown[] = [];
  const rest = await parseSliced(piecesOf(text, Math.ceil(size / 3)), {
    key: "services",
    size,
    take: (entries) => void services.push(...entries),
  });
  return rest === undefined ? undefined : { ...rest, services };
}

function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const key = fc.constantFrom("services", "region", "not_listed", "a\\b", 'services"', "[", "serv");
/** As workload APIs send them: each begins with the same key, which may stand further in, too. */
const alike = fc.record({
  uid: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('},{"uid":', '"},{\\"uid\\":')),
  containers: fc.array(fc.record({ uid: fc.jsonValue({ maxDepth: 1 }) }), { maxLength: 3 }),
});
const answer = fc.record({
  before: fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
  services: fc.oneof(
    fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }),
    fc.array(alike, { minLength: 2, maxLength: 12 }),
  ),
  after: fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
  space: fc.constantFrom(undefined, 0, 1, "\t"),
});
const size = fc.constantFrom(1, 7, 40, 10_000);

describe("a text that is parsed in slices", () => {
  test("is what it is when it is parsed at once", async () => {
    let read = 0;
    const property = fc.asyncProperty(answer, size, async ({ before, services, after, space }, characters) => {
      const text = JSON.stringify({ ...before, services, ...after }, undefined, space);
      const found = await sliced(text, characters);
      if (found === undefined) return;
      read += 1;
      expect(found).toStrictEqual(JSON.parse(text));
    });
    await fc.assert(property);
    expect(read).toBeGreaterThan(cases / 20);
  });

  test("is never found whole when it is broken, and never another one", async () => {
    const damage = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      put: fc.constantFrom("", ",", "]", '"', "}", "[", "\\", ":", "x", '"services":[1],'),
    });
    const property = fc.asyncProperty(
      answer,
      damage,
      size,
      async ({ before, services, after }, { at, put }, characters) => {
        const text = JSON.stringify({ ...before, services, ...after });
        const cut = Math.floor(at * text.length);
        const damaged = text.slice(0, cut) + put + text.slice(put === "" ? cut + 1 : cut);
        const found = await sliced(damaged, characters);
        if (found !== undefined) expect(found).toStrictEqual(whole(damaged));
      },
    );
    await fc.assert(property);
  });

  test.each([
    ["begin alike", (at: number) => ({ uid: at, ports: [1, 2] })],
    ["hold others that begin like them", (at: number) => ({ uid: at, containers: [{ uid: "a" }, { uid: "b" }] })],
    ["begin alike for a while, and again", (at: number) => (at < 100 || at > 900 ? { uid: at } : { name: at })],
  ])("is read slice by slice when its entries %s", async (_, entry) => {
    const services = Array.from({ length: 1_000 }, (__, at) => entry(at));
    const slices: number[] = [];
    const take = (entries: readonly unknown[]) => void slices.push(entries.length);

    const text = JSON.stringify({ region: "us", services, jobs: [{ uid: 1 }, { uid: 2 }] });
    const rest = await parseSliced(piecesOf(text, 1_000), { key: "services", size: 300, take });

    expect(rest).toEqual({ region: "us", services: [], jobs: [{ uid: 1 }, { uid: 2 }] });
    expect(slices.reduce((sum, count) => sum + count, 0)).toBe(1_000);
    expect(Math.max(...slices)).toBeLessThan(100);
  });

  test.each([
    '{"services":[1,]}',
    '{"services":[,1]}',
    '{"services":[1]',
    '{"services":[1]}}',
    '{"services":[1}]',
    "[]",
    "",
    '{"services":{}}',
  ])("%s is none", async (text) => {
    expect(await sliced(text, 1)).toBeUndefined();
  });
});

describe("a long list", () => {
  const services = Array.from({ length: 5_000 }, (_, at) => ({
    name: `svc-${at}`,
    status: "Running",
    message: "x".repeat(40),
  }));

  test("is read whole; entries without a name are counted", async () => {
    const text = JSON.stringify({ region: "beijing1", services: [...services, {}, null], not_listed: ["other"] });
    const read = await apiAnswering(200, text).send(calls.listServices);
    expect(read).toMatchObject({ region: "beijing1", services, skipped: 2, not_listed: ["other"] });
  });

  test("is brief for who only lists it, and whole for others", async () => {
    const containers = [{ image: "web", env: [{ name: "TOKEN", value: "s3cret" }] }, { image: "proxy" }];
    const text = JSON.stringify({ services: services.map((each) => ({ ...each, containers })) });
    const api = apiAnswering(200, text);

    const whole = await api.send(calls.listServices);
    const brief = await api.send(calls.listServices, { isBrief: true });

    expect(whole.services[4_999]).toEqual({ ...services[4_999], containers });
    expect(brief.services[4_999]).toEqual({ ...services[4_999], containers: [{ env: containers[0]?.env }] });
  });

  test("of 40,000 services, 18 MB, is read", async () => {
    const padding = "x".repeat(400);
    const text = JSON.stringify({
      services: Array.from({ length: 40_000 }, (_, at) => ({ name: `svc-${at}`, containers: [{ image: padding }] })),
    });
    const read = await apiAnswering(200, text).send(calls.listServices, { isBrief: true });

    expect(read.services).toHaveLength(40_000);
    expect(read.services.at(-1)).toEqual({ name: "svc-39999", containers: [] });
  });

  test("that is cut off is no list", async () => {
    const text = JSON.stringify({ region: "beijing1", services }).slice(0, -100);
    await expect(apiAnswering(200, text).send(calls.listServices)).rejects.toMatchObject({ kind: "unexpected" });
  });

  test("lets others do their work after each slice", async () => {
    let turns = 0;
    let slices = 0;
    const turn = (): void => {
      turns += 1;
      if (turns < 1_000) setImmediate(turn);
    };
    setImmediate(turn);
    const take = (): void => void (slices += 1);
    await parseSliced([JSON.stringify({ services })], { key: "services", take, size: 10_000, turnMs: 0 });
    expect(slices).toBeGreaterThan(10);
    expect(turns).toBeGreaterThanOrEqual(slices - 1);
  });
});
