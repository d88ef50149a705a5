import { expect, test } from "vitest";
import { warningHeaders, warningsIn } from "../../src/api/extension-headers.ts";
import { service, services } from "../service/support/asked-service.ts";
import { documentedApi } from "../support/documented-api.ts";
import { openPolicy } from "../support/open-policy.ts";
import { card, says } from "../support/speak.ts";
import { world } from "../support/world.ts";

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
