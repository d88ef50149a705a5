import { expect, test } from "vitest";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";
import { answerTo, refuse, scripted } from "../support/script.ts";

const services = [service("flaky", {})];

test("why answers with the card and the newest lines, when none reports an error", async () => {
  const told = drawn(await answerTo("why flaky", { services }));

  expect(told).toContain("flaky");
  expect(told).toContain("Newest lines: none reports an error");
  expect(told).toContain("```\nhello");
});

test("without rights to the log it shows the card alone and reads no log", async () => {
  const script = scripted({
    services,
    permissions: ({ op }) => (op === "getServiceLogs" ? refuse : { kind: "allow", rule: "members do" }),
  });

  expect(drawn(await answerTo("why flaky", script))).not.toContain("```\nhello");
  expect(script.calls).not.toContain("getServiceLogs");
});
