import { describe, expect, test } from "vitest";
import type { Service } from "../../../../src/api/answers.ts";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";
import { answerTo, proposalTo } from "../support/script.ts";

describe("a start says with how many instances, as the workload API will start it", () => {
  test.each<[Partial<Service>, string]>([
    [{ target_instance_size: 3 }, "starts with 3 instances"],
    [{ target_instance_size: 1 }, "starts with 1 instance"],
    [{ target_instance_size: undefined }, "starts all instances"],
    [
      { target_instance_size: 2, size_set_by: "autoscaler web-hpa" },
      "starts with 2 instances, then autoscaler web-hpa sets the size",
    ],
  ])("%j", async (stopped, words) => {
    const services = [service("web", { status: "Stopped", ...stopped })];

    expect(await proposalTo("start web", { services })).toMatchObject({ change: { diff: [words] } });
  });
});

describe("a service that its autoscaler brings back", () => {
  const why = "Service web can't be stopped: the autoscaler web-hpa sets its size.";
  const services = [
    service("web", {
      status: "Idle",
      target_instance_size: 0,
      size_set_by: "autoscaler web-hpa",
      refused_operations: [{ operation: "stopService", reason: why }],
    }),
  ];

  test.each([
    ["show web", "⚪️ web · idle, autoscaler web-hpa brings it back"],
    ["list services", "⚪️ web · idle, autoscaler web-hpa brings it back"],
    ["why web", "web is idle, autoscaler web-hpa brings it back"],
  ])("is idle, not stopped: %s", async (words, line) => {
    const said = drawn(await answerTo(words, { services }));

    expect(said).toContain(line);
    expect(said).not.toContain("stopped");
  });

  test("isn't stopped already, so a stop is refused with the reason", async () => {
    expect(await proposalTo("stop web", { services })).toMatchObject({ kind: "impossible", why });
  });
});

test("a service whose autoscaler is off says so, and offers to start it", async () => {
  const message = "autoscaler web-hpa is off until the service is started";
  const services = [service("web", { status: "Stopped", message, size_set_by: "autoscaler web-hpa" })];

  const said = drawn(await answerTo("show web", { services }));

  expect(said).toContain(`Reason: ${message}`);
  expect(said).toContain("[Start]");
});
