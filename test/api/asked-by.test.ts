import { expect, test } from "vitest";
import { askedByHeaders, askedByIn, warningHeaders, warningsIn } from "../../src/api/extension-headers.ts";
import { card, says } from "../support/speak.ts";
import { documentedApi } from "../support/documented-api.ts";
import { openPolicy } from "../support/open-policy.ts";
import { world } from "../support/world.ts";
import { service, services } from "../service/support/asked-service.ts";

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

const through = (...warnings: string[]) => warningsIn(new Headers(warningHeaders(warnings)));

test("warnings arrive as they were sent, whatever their letters, each once, a few short ones", () => {
  const text = 'would violate PodSecurity "restricted:latest": runAsNonRoot != true (container "web"), 100% – Über';

  expect(through(text, "second", text)).toEqual([text, "second"]);
  expect(through("a\nb\u202Ec", "", " ", "\ud800")).toEqual(["a b c", "\ufffd"]);
  expect(through("x".repeat(1_000))).toEqual([`${"x".repeat(299)}…`]);
  expect(through(...Array.from({ length: 9 }, (_, at) => `warning ${at}`))).toHaveLength(3);
  expect(through()).toEqual([]);
  expect(warningHeaders([])).toEqual({});
});

test.each(["%", ",,", "%00", "%E2%80%A8"])("a header that says nothing readable counts as none: %j", (value) => {
  expect(warningsIn(new Headers({ "gantry-warnings": value }))).toEqual([]);
});

test("the workload API sends what its engine warns of a write, and no header without", async () => {
  const { ask } = service({}, () => ({
    restartService: async ({ warn }) => {
      for (const text of ["a rule, of the cluster", "a rule, of the cluster"]) warn?.(text);
      return {};
    },
    stopService: async () => ({}),
  }));

  const warned = await ask(`${services}/web/restart`, { method: "PUT" });
  const silent = await ask(`${services}/web/stop`, { method: "PUT" });

  expect(warningsIn(warned.headers)).toEqual(["a rule, of the cluster"]);
  expect(silent.headers.has("gantry-warnings")).toBe(false);
});

test("the card of a write shows what the cluster warned of, redacted, also once it shows its effect", async () => {
  const api = documentedApi({ lateReads: 4 });
  await using town = await world({
    policy: openPolicy,
    apiFetch: async (request) => {
      const response = await api.fetch(request);
      if (request.method !== "PUT") return response;
      const warnings = [
        'would violate PodSecurity "restricted:latest"',
        "unknown field, password=correct-horse-battery",
      ];
      return new Response(response.body, {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...warningHeaders(warnings) },
      });
    },
  });

  await says(town, town.developer, "/gantry scale two 3");

  expect(card(town.developer)).toContain("🟡 Scale two to 3: accepted, not visible yet");
  for (let looks = 0; looks < 6; looks += 1) {
    town.passMinutes(0.2);
    await town.sweep();
  }
  const shown = card(town.developer);
  expect(shown).toContain("✅ two scaled to 3");
  expect(shown).toContain('⚠️ The cluster warns: would violate PodSecurity "restricted:latest"');
  expect(shown).toContain("unknown field, password=[redacted]");
  expect(JSON.stringify(town.developer.sees("ops"))).not.toContain("correct-horse-battery");
});
