import { createApi, type AccountApi, type ApiSettings, type SendOptions } from "../../src/api/client.ts";
import type { Call, OperationId } from "../../src/api/operations.ts";
import { Problem } from "../../src/api/problem.ts";
import { type Clock, machineClock } from "../../src/platform/clock.ts";
import { sendTo } from "../../src/platform/http/send.ts";

export const dana = { username: "dana", token: "tok-dana-1234567890abcdef" };

const service = { region: "beijing1", service_name: "web" };
const job = { region: "us", job_name: "nightly" };

/** One call of each operation. */
export const calls = {
  listJobs: { op: "listJobs", path: { region: "us" }, query: undefined, body: undefined },
  getJob: { op: "getJob", path: job, query: undefined, body: undefined },
  createJob: { op: "createJob", path: job, query: undefined, body: { containers: [{ image: "gantry/batch" }] } },
  deleteJob: { op: "deleteJob", path: job, query: undefined, body: undefined },
  getJobInstanceLogs: {
    op: "getJobInstanceLogs",
    path: { ...job, instance_name: "nightly-x7k2p" },
    query: { date: "2026.11.21", from: 0, size: 100 },
    body: undefined,
  },
  listServices: { op: "listServices", path: { region: "beijing1" }, query: undefined, body: undefined },
  getService: { op: "getService", path: service, query: undefined, body: undefined },
  createService: {
    op: "createService",
    path: service,
    query: undefined,
    body: { containers: [{ image: "gantry/hello-web" }] },
  },
  deleteService: { op: "deleteService", path: service, query: undefined, body: undefined },
  updateService: { op: "updateService", path: service, query: undefined, body: { target_instance_size: 3 } },
  startService: { op: "startService", path: service, query: undefined, body: undefined },
  stopService: { op: "stopService", path: service, query: undefined, body: undefined },
  restartService: { op: "restartService", path: service, query: undefined, body: undefined },
  getServiceLogs: { op: "getServiceLogs", path: service, query: { size: 2 }, body: undefined },
} satisfies { [Op in OperationId]: Call<Op> };

/** For a client that is neither random nor pauses before it tries again. */
export const still = {
  random: () => 0,
  clock: { ...machineClock, sleep: () => Promise.resolve() },
} satisfies { random: () => number; clock: Clock };

/** Dana's API over a fetch function: no network, no pauses, no chance. */
export function apiOver(fetch: Parameters<typeof sendTo>[0], settings: Partial<ApiSettings> = {}): AccountApi {
  return createApi({
    baseUrl: "http://service.test",
    ...still,
    random: () => 0.5,
    ...settings,
    send: sendTo(fetch),
  }).as(dana);
}

/** Dana's API over a service that always gives this answer. */
export function apiAnswering(
  status: number,
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = {},
): AccountApi {
  return apiOver(() => Promise.resolve(new Response(body, { status, headers })));
}

/** The Problem of a call that must fail; anything else that is thrown fails the test as it is. */
export async function problemOf(api: AccountApi, call: Call, options: SendOptions = {}): Promise<Problem> {
  try {
    await api.send(call, options);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("the call succeeded");
}
