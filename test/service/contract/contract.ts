import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "../../../src/api/operations.ts";
import { createJobCases } from "./create-job-cases.ts";
import { createServiceCases } from "./create-service-cases.ts";
import { jobCases } from "./job-cases.ts";
import { jobLogCases } from "./job-log-cases.ts";
import { requestCases } from "./request-cases.ts";
import { serviceCases } from "./service-cases.ts";
import { serviceLogCases } from "./service-log-cases.ts";
import { serviceMoveCases } from "./service-move-cases.ts";
import { updateServiceCases } from "./update-service-cases.ts";
import { type ServiceUnderTest, type World, worldOf } from "./world.ts";

/** Something that each service must do; it rejects when the service does not. */
export type ContractCase = {
  readonly operation: OperationId;
  readonly title: string;
  readonly run: (world: World) => Promise<void>;
};

export const contractCases: readonly ContractCase[] = [
  ...requestCases,
  ...jobCases,
  ...createJobCases,
  ...jobLogCases,
  ...serviceCases,
  ...createServiceCases,
  ...updateServiceCases,
  ...serviceMoveCases,
  ...serviceLogCases,
];

/** What every engine must do, seen from outside: registers the cases with vitest, all on one service. */
export function contract(name: string, makeService: () => Promise<ServiceUnderTest>): void {
  describe.concurrent(`the contract on ${name}`, () => {
    let service: ServiceUnderTest | undefined;
    let world: World | undefined;
    beforeAll(async () => {
      service = await makeService();
      world = worldOf(service);
    });
    afterAll(() => service?.close());
    for (const { operation, title, run } of contractCases) {
      test(`${operation}: ${title}`, { timeout: 60_000 }, async () => {
        expect(world).toBeDefined();
        if (world) await run(world);
      });
    }
  });
}
