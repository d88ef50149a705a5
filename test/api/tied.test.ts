import { expect, test } from "vitest";
import type * as spec from "../../src/api/schema.ts";
import type { Differences, Tied } from "../../src/api/fits.ts";
import type { RawJob, RawService } from "../../src/api/workload-shapes.ts";

// What the compiler says. `tsc` fails when it says something else: an error that is expected here and doesn't come is one.

/** What the bot reads, against a spec that has changed. */
type OfService<Spec> = Differences<RawService, Spec>;
type Without<Name extends keyof spec.Service> = Omit<spec.Service, Name>;

// @ts-expect-error the spec drops a field
type Dropped = Tied<RawService, OfService<Without<"created_at">>>;
// @ts-expect-error the spec renames a field
type Renamed = Tied<RawService, OfService<Without<"min_ready_seconds"> & { min_ready_ms?: number }>>;
// @ts-expect-error a count becomes text
type Retyped = Tied<RawService, OfService<Without<"revision"> & { revision?: string }>>;
// @ts-expect-error a list becomes one of its items
type NoList = Tied<RawService, OfService<Without<"port_mappings"> & { port_mappings?: spec.PortMapping }>>;
// @ts-expect-error deep in a list, a field is dropped
type Deep = Tied<RawService, OfService<Without<"containers"> & { containers?: Omit<spec.ServiceContainer, "env">[] }>>;
// @ts-expect-error in a job, an object is dropped
type OfJob = Tied<RawJob, Differences<RawJob, Omit<spec.Job, "status">>>;

test("what the compiler says of a spec that has changed names the field, and it says nothing of the real one", () => {
  const said: {
    readonly same: [OfService<spec.Service>, Differences<RawJob, spec.Job>] extends [never, never] ? true : false;
    readonly more: OfService<spec.Service & { colour?: string }> extends never ? true : false;
    readonly dropped: OfService<Without<"created_at">>;
    readonly retyped: OfService<Without<"revision"> & { revision?: string }>;
    readonly noList: OfService<Without<"port_mappings"> & { port_mappings?: spec.PortMapping }>;
    readonly deep: OfService<Without<"containers"> & { containers?: Omit<spec.ServiceContainer, "env">[] }>;
  } = {
    same: true,
    more: true,
    dropped: ".created_at isn't in the spec",
    retyped: ".revision has another type in the spec",
    noList: ".port_mappings is no list in the spec",
    deep: ".containers[].env isn't in the spec",
  };
  const broken: readonly (Dropped | Renamed | Retyped | NoList | Deep | OfJob)[] = [];

  expect([Object.values(said).length, broken.length]).toEqual([6, 0]);
});
