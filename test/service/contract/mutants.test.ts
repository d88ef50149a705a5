import { describe, expect, test } from "vitest";
import { type OperationId, operationTable } from "../../../src/api/operations.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { contractCases } from "./contract.ts";
import { memoryService } from "./memory-service.ts";
import { mutants } from "./mutants.ts";
import { worldOf } from "./world.ts";
import { onlyInFullRuns } from "../../support/full-run.ts";

// Each mutant fails by waiting for what never comes.
onlyInFullRuns();

/** A broken engine never gets there; one that is right does, in the time that the service is given. */
const BROKEN_MS = 1_000;

/** The titles of the cases of one operation that fail on that engine. */
async function failures(
  operation: OperationId,
  change: (engine: Engine) => Engine,
  deadlineMs = 20_000,
): Promise<readonly string[]> {
  const { close, ...service } = await memoryService(change);
  const world = worldOf({ ...service, close, deadlineMs });
  // The engine in memory tells of no changes.
  const cases = contractCases.filter((each) => each.operation === operation && each.needsEvents !== true);
  const results = await Promise.allSettled(cases.map(({ run }) => run(world)));
  await close();
  return cases.filter((_, index) => results[index]?.status === "rejected").map(({ title }) => title);
}

const operations = Object.keys(operationTable) as OperationId[]; // the keys of the table are the operations

describe.concurrent("the contract suite", () => {
  test.each(mutants)("fails for an engine whose $operation $bug", async ({ operation, change }) => {
    const failed = await failures(operation, (good) => ({ ...good, ...change(good) }), BROKEN_MS);

    expect(failed).not.toEqual([]);
  });

  test("is tried with a bug in each operation", () => {
    expect([...new Set(mutants.map(({ operation }) => operation))].sort()).toEqual([...operations].sort());
  });
});
