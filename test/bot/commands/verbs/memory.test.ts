import { expect, test } from "vitest";
import type { EngineInfo } from "../../../../src/api/engine-info.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { memory } from "../../../../src/bot/commands/verbs/memory.ts";
import { service } from "../../views/support/workloads.ts";
import { ableEngine, scripted } from "../support/script.ts";

function proposed(text: string, engine?: EngineInfo) {
  const { context } = scripted({ services: [service("web", {})], ...(engine && { engine }) });
  return memory.propose(parseText(text).ask, context);
}

test.each([
  ["300Mi", 300],
  ["3Gi", 3072],
  ["1.5Gi", 1536],
  ["777", 777],
  ["512M", 489],
])("an API that says that it takes any memory limit gets %s as %i MiB", async (size, mib) => {
  const { call, diff } = await proposed(`memory web ${size}`, ableEngine);

  expect(call).toMatchObject({ body: { containers: [{ resources: { limits: { memory: mib } } }] } });
  expect(diff).toEqual([`memory 512 → ${mib} MiB`]);
});

test.each([
  ["says nothing", undefined],
  ["says that it doesn't", { ...ableEngine, takesAnyMemory: false }],
])(
  "an API that %s takes the sizes of its document, and others are refused before anybody is asked",
  async (_, engine) => {
    await expect(proposed("memory web 1Gi", engine)).resolves.toMatchObject({ diff: ["memory 512 → 1024 MiB"] });
    await expect(proposed("memory web 300Mi", engine)).rejects.toMatchObject({
      message: "The workload API takes a memory limit of 256, 512, 1024 or 2048 MiB.",
      next: "Nothing was changed. It doesn't say that it takes other limits.",
    });
  },
);
