import { expect, test } from "vitest";
import { askedByHeaders, askedByIn } from "../../src/api/extension-headers.ts";
import { card, says } from "../support/speak.ts";
import { documentedApi } from "../support/documented-api.ts";
import { openPolicy } from "../support/open-policy.ts";
import { world } from "../support/world.ts";

test("who asked arrives as it was sent, whatever its letters", () => {
  for (const person of ["U0DANA", "Дана 100% #1", "x".repeat(64)]) {
    const asked = { person, request: "ABC123" };
    expect(askedByIn(new Headers(askedByHeaders(asked)))).toEqual(asked);
  }
  expect(askedByHeaders(undefined)).toEqual({});
  expect(askedByIn(new Headers(askedByHeaders({ person: "x".repeat(500), request: "\ud800" })))).toEqual({
    person: "x".repeat(64),
    request: "\ufffd",
  });
});

test.each(["", "%", "%0A", "a%0d%0aset: 1", "%00", "x".repeat(65), "%20", "%E2%80%A8", "é"])(
  "a value that is no short line of text counts as none: %j",
  (value) => {
    expect(askedByIn(new Headers({ "gantry-requested-by": value, "gantry-request-id": "ok" }))).toEqual(
      value === "é" ? { person: "é", request: "ok" } : { request: "ok" },
    );
  },
);

test("a write names the person by their Slack id, and the request; a read names nobody", async () => {
  const api = documentedApi({});
  const seen: string[] = [];
  await using town = await world({
    policy: openPolicy,
    apiFetch: (request) => {
      seen.push(`${request.method} ${JSON.stringify(askedByIn(request.headers))}`);
      return api.fetch(request);
    },
  });

  await says(town, town.developer, "/gantry scale two 3");

  expect(card(town.developer)).toContain("2 → 3");
  const [write] = seen.filter((each) => each.startsWith("PUT"));
  expect(write).toMatch(/^PUT \{"person":"U\w+","request":"[0-9A-Z]{6}"\}$/u);
  expect(seen.filter((each) => each.startsWith("GET")).every((each) => each === "GET {}")).toBe(true);
  expect(write).not.toContain("dana");
});
