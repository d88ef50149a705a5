import type { Call } from "../../../../src/api/operations.ts";
import type { Change } from "../../../../src/bot/changes/change.ts";
import type { Snapshot } from "../../../../src/bot/changes/updatable-fields.ts";

export const before = { uid: "u1", status: "Running", size: 2, memoryMiB: [512], domains: ["a.example.com"] } as const;

const path = { region: "beijing1", service_name: "web" };
const workload = { kind: "service", region: "beijing1", name: "web", uid: "u1" } as const;

type Update = Call<"updateService">["body"];

export function update(body: Update, then: Snapshot = before): Change {
  return { call: { op: "updateService", path, query: undefined, body }, workload, before: then, diff: ["…"] };
}

export const toFour = update({ target_instance_size: 4 });

export function memoryTo(mib: 256 | 512 | 1024 | 2048, then: Snapshot = before): Change {
  return update({ containers: [{ resources: { limits: { memory: mib } } }] }, then);
}

type Plain = "startService" | "stopService" | "restartService" | "deleteService";

export function plain(op: Plain, then: Snapshot = before): Change {
  return { call: { op, path, query: undefined, body: undefined }, workload, before: then, diff: ["…"] };
}

export function newService(body: Partial<Call<"createService">["body"]> = {}): Change {
  return {
    call: {
      op: "createService",
      path,
      query: undefined,
      body: { containers: [{ image: "gantry/hello-web" }], ...body },
    },
    workload: { ...workload, uid: undefined },
    before: undefined,
    diff: ["…"],
  };
}

const jobPath = { region: "us", job_name: "nightly" };
const job = { kind: "job", region: "us", name: "nightly" } as const;

export const newJob: Change = {
  call: { op: "createJob", path: jobPath, query: undefined, body: { containers: [{ image: "gantry/batch" }] } },
  workload: { ...job, uid: undefined },
  before: undefined,
  diff: ["…"],
};

export const jobBefore = { uid: "j1", status: undefined, size: undefined, memoryMiB: [], domains: [] };

export const jobDeletion: Change = {
  call: { op: "deleteJob", path: jobPath, query: undefined, body: undefined },
  workload: { ...job, uid: "j1" },
  before: jobBefore,
  diff: ["…"],
};
