import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "../../../src/api/operations.ts";
import { createJobCases } from "./create-job-cases.ts";
import { createServiceCases } from "./create-service-cases.ts";
import { eventCases } from "./event-cases.ts";
import { jobCases } from "./job-cases.ts";
import { jobLogCases } from "./job-log-cases.ts";
import { revisionCases } from "./revision-cases.ts";
import { requestCases } from "./request-cases.ts";
import { serviceCases } from "./service-cases.ts";
import { serviceLogCases } from "./service-log-cases.ts";
import { serviceMoveCases } from "./service-move-cases.ts";
import { unwellCases } from "./unwell-cases.ts";
import { updateServiceCases } from "./update-service-cases.ts";
import { type ServiceUnderTest, type World, worldOf } from "./world.ts";

/** Something that each service must do; it rejects when the service does not. */
export type ContractCase = {
  readonly operation: OperationId;
  readonly title: string;
  /** Waits for a workload that runs or ends; the others also hold on a cluster without a node. */
  readonly needsPods?: true;
  /** Only for services that tell of changes: docs/events.openapi.yaml. */
  readonly needsEvents?: true;
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
  ...revisionCases,
  ...serviceMoveCases,
  ...serviceLogCases,
  ...unwellCases,
  ...eventCases,
];

/** For a case that hangs; each wait ends by the service's own deadline. */
const CASE_MS = 400_000;

type Skipping = {
  readonly isSkipped?: boolean;
  /** Why the cases that need running pods are skipped, if they are. */
  readonly noPods?: string | undefined;
  readonly hasEvents?: boolean;
};

/** What every engine must do, seen from outside: registers the cases with vitest, all on one service. */
export function contract(
  name: string,
  makeService: () => Promise<ServiceUnderTest>,
  { isSkipped = false, noPods, hasEvents = true }: Skipping = {},
): void {
  describe.concurrent(`the contract on ${name}`, { skip: isSkipped }, () => {
    let service: ServiceUnderTest | undefined;
    let world: World | undefined;
    beforeAll(async () => {
      service = await makeService();
      world = worldOf(service);
    });
    afterAll(() => service?.close());
    const all = contractCases.filter(({ needsEvents }) => hasEvents || needsEvents !== true);
    for (const { operation, title, needsPods, run } of all) {
      const skipped = needsPods === true ? noPods : undefined;
      const reason = skipped === undefined ? "" : ` (${skipped})`;
      test(`${operation}: ${title}${reason}`, { timeout: CASE_MS, skip: skipped !== undefined }, async () => {
        expect(world).toBeDefined();
        if (world) await run(world);
      });
    }
  });
}
