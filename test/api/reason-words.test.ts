import { describe, expect, test } from "vitest";
import { brief, endWords, lead } from "../../src/api/workload-status.ts";

const pulling =
  'ImagePullBackOff: Back-off pulling image "registry.example.com/shop/web:4.12": failed to resolve reference "registry.example.com/shop/web:4.12": not found';

test.each([
  [{ reason: "OOMKilled", exit_code: 137 }, "out of memory, exit 137"],
  [{ reason: "Error", exit_code: 3 }, "exit 3"],
  [{ reason: "Completed", exit_code: 0 }, "exit 0"],
  [{ reason: "ContainerCannotRun" }, "ContainerCannotRun"],
  [{ finished_at: "2026-11-22T03:04:00Z" }, undefined],
  [undefined, undefined],
])("a container that ended with %j has the words %s", (last, words) => {
  expect(endWords(last)).toBe(words);
});

describe("a long reason", () => {
  test("is cut after a word", () => {
    const cut = brief(pulling, 60);

    expect(cut).toBe("ImagePullBackOff: Back-off pulling image…");
    expect(brief("short", 60)).toBe("short");
    expect(brief("x".repeat(100), 10)).toBe("xxxxxxxxx…");
    expect(brief(`${"x".repeat(8)}😀${"x".repeat(9)}`, 10)).toBe("xxxxxxxx…");
  });

  test.each([
    [pulling, "ImagePullBackOff"],
    ["exit 2, 3 restarts · Job has reached the specified backoff limit", "exit 2, 3 restarts"],
    ["web-1 exited with code 137 (out of memory)", "web-1 exited with code 137 (out of memory)"],
    ["web-0 is waiting: it doesn't answer on its port", "it doesn't answer on its port"],
    ["web-0 is waiting: pulling the image shop/web:1.5", "pulling the image shop/web:1.5"],
    ["This user may run 3 instances; 2 are in use.", "This user may run 3 instances"],
  ])("has a beginning that fits a column: %s", (reason, expected) => {
    expect(lead(reason)).toBe(expected);
  });
});
