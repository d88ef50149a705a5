import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { answerShapes } from "../../src/api/answers.ts";
import type { Call, OperationId } from "../../src/api/operations.ts";
import { apiAnswering, apiOver, calls, problemOf } from "./calls.ts";

const Spec = z.object({
  components: z.object({
    schemas: z.record(
      z.string(),
      z.looseObject({ examples: z.array(z.unknown()).optional(), example: z.unknown().optional() }),
    ),
  }),
});
const { schemas } = Spec.parse(parse(readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8"))).components;

/** null is read as missing. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) => (inner === null ? undefined : inner));
}

describe("the examples of the specification are read without a loss", () => {
  test.each<[OperationId, string]>([
    ["listJobs", "JobList"],
    ["getJob", "Job"],
    ["createJob", "CreatedJob"],
    ["deleteJob", "DeletedJob"],
    ["getJobInstanceLogs", "JobLog"],
    ["listServices", "ServiceList"],
    ["getService", "Service"],
    ["deleteService", "DeletedServiceJson"],
    ["getServiceLogs", "ServiceLog"],
  ])("%s", (op, schema) => {
    const { example, examples = [] } = schemas[schema] ?? {};
    const all = example === undefined ? examples : [example, ...examples];
    const shape: z.ZodType = answerShapes[op];

    for (const each of all) expect(shape.parse(each)).toMatchObject(Object(withoutNulls(each)));

    expect(all.length + (schema === "DeletedServiceJson" ? 1 : 0)).toBeGreaterThan(0);
  });
});

describe("a service is read as far as it goes", () => {
  test.each<[string, object, object]>([
    ["unknown fields are kept", { name: "web", colour: { of: "mind" } }, { name: "web", colour: { of: "mind" } }],
    ["null is missing", { name: "web", containers: null, status: null }, { name: "web" }],
    ["any status", { name: "web", status: "Pondering" }, { name: "web", status: "Pondering" }],
    ["a number as text", { name: "web", target_instance_size: "3" }, { name: "web", target_instance_size: 3 }],
    ["text as a number", { name: "web", uid: 17 }, { name: "web", uid: "17" }],
    [
      "memory in each spelling",
      {
        name: "web",
        containers: [{ resources: { limits: { memory: 512 } } }, { resources: { limits: { memory: "1Gi" } } }],
      },
      {
        name: "web",
        containers: [{ resources: { limits: { memory: 512 } } }, { resources: { limits: { memory: "1Gi" } } }],
      },
    ],
    [
      "one bad field does not hide the others",
      { name: "web", status: ["?"], volumes: "none", binding_domain_name: "a.example" },
      { name: "web" },
    ],
    [
      "a list of domains that can only be read in part is unknown, because it is sent back as a whole",
      { name: "web", binding_domain_name: ["a.example", { name: "b.example" }] },
      { name: "web" },
    ],
    [
      "a bad port does not hide its container, and a bad container keeps its place",
      { name: "web", containers: [{ image: "x", ports: [80, { container_port: "81", protocol: "TCP" }] }, "?"] },
      { name: "web", containers: [{ image: "x", ports: [{ container_port: 81, protocol: "TCP" }] }, {}] },
    ],
  ])("%s", async (_, body, expected) => {
    const service = await apiAnswering(200, JSON.stringify(body)).send(calls.getService);

    expect(withoutNulls(service)).toEqual(expected);
  });
});

describe("a list", () => {
  test("shows its good entries and counts the bad ones", async () => {
    const body = { services: [{ name: "web" }, null, { uid: "no name" }, "?", { name: "" }, { name: "api" }] };

    const { services, skipped } = await apiAnswering(200, JSON.stringify(body)).send(calls.listServices);

    expect(services.map(({ name }) => name)).toEqual(["web", "api"]);
    expect(skipped).toBe(4);
  });

  test("of jobs needs a name in each one's metadata", async () => {
    const body = { jobs: [{ metadata: { name: "a" }, status: {} }, { metadata: {} }, { status: {} }] };

    const { jobs, skipped } = await apiAnswering(200, JSON.stringify(body)).send(calls.listJobs);

    expect(jobs).toEqual([{ metadata: { name: "a" }, status: {} }]);
    expect(skipped).toBe(2);
  });

  test.each(['{"region":"us","services":null}', '{"region":"us"}', '{"services":[]}', "\uFEFF{}"])(
    "that is empty: %s",
    async (body) => {
      const { services, skipped } = await apiAnswering(200, body).send(calls.listServices);

      expect([services, skipped]).toEqual([[], 0]);
    },
  );
});

describe("logs have one line for each entry", () => {
  test.each([
    ['["a","b"]', ["a", "b"]],
    ['[{"instance_name":"i","log":"a"}, null, 7, ["x"]]', ["a", "", "7", '["x"]']],
    ["[]", []],
    ["null", []],
  ])("of a job: %s", async (body, lines) => {
    expect(await apiAnswering(200, body).send(calls.getJobInstanceLogs)).toEqual(lines);
  });

  test.each([
    ['[{"instance_name":"web-0","log":"a","x":1}]', [{ instance_name: "web-0", log: "a" }]],
    ['["a"]', [{ log: "a" }]],
    ['[{"instance_name":"web-0","log":null}]', [{ instance_name: "web-0", log: "" }]],
    ['[{"instance_name":null,"log":"a"}]', [{ log: "a" }]],
    ['[{"line":"a"}]', [{ log: '{"line":"a"}' }]],
    ["null", []],
  ])("of a service: %s", async (body, lines) => {
    expect(await apiAnswering(200, body).send(calls.getServiceLogs)).toEqual(lines);
  });

  test("and a line may be HTML", async () => {
    expect(await apiAnswering(200, '["<html>"]').send(calls.getJobInstanceLogs)).toEqual(["<html>"]);
  });
});

describe("a deleted service says so in text or JSON, or says nothing", () => {
  test.each([
    ["Service was deleted successfully", { message: "Service was deleted successfully" }],
    ['"Service was deleted successfully"', { message: "Service was deleted successfully" }],
    ['{"message":"deleted"}', { message: "deleted" }],
    ["{}", {}],
    ["", {}],
    ["[1]", {}],
  ])("%j", async (body, expected) => {
    expect(await apiAnswering(200, body).send(calls.deleteService)).toEqual(expected);
  });
});

test.each<Call>([calls.updateService, calls.startService, calls.stopService, calls.restartService, calls.deleteJob])(
  "the body after a successful $op counts for nothing",
  async (call) => {
    for (const body of ["{}", "", "OK", "null", "[", "x".repeat(100_000)]) {
      expect(await apiAnswering(200, body).send(call)).toEqual({});
    }
  },
);

test("a deleted job gives its name back, with any status of success", async () => {
  expect(await apiAnswering(200, '{"jobName":"nightly"}').send(calls.deleteJob)).toEqual({ jobName: "nightly" });
  expect(await apiAnswering(204, null).send(calls.deleteJob)).toEqual({});
  expect(await apiAnswering(201, '{"job":{"metadata":{"name":"n"}}}').send(calls.createJob)).toEqual({
    job: { metadata: { name: "n" } },
  });
});

describe("something else than the API answers", () => {
  const page = "  <!DOCTYPE html><html><head><title>Sign in</title></head></html>";
  test.each<[Call, string | Uint8Array<ArrayBuffer>, string]>([
    [calls.listJobs, page, "a web page instead of data"],
    [calls.restartService, page, "a web page instead of data"],
    [calls.deleteService, "<html></html>", "a web page instead of data"],
    [calls.listJobs, '{"jobs":[{"metadata":{"na', "invalid or incomplete JSON"],
    [calls.listJobs, "", "an empty answer"],
    [calls.getService, " \n", "an empty answer"],
    [calls.listServices, "[]", "a list instead of an object"],
    [calls.getService, "[]", "a list instead of an object"],
    [calls.getService, '"web"', "a string instead of an object"],
    [calls.getJob, "null", "null instead of an object"],
    [calls.getServiceLogs, "{}", "an object instead of a list"],
    [calls.getJobInstanceLogs, '"line"', "a string instead of a list"],
    [calls.listServices, '{"services":{}}', "unexpected data (services isn't a list)"],
    [calls.listJobs, '{"login":"please"}', "unexpected data (it has no jobs)"],
    [calls.getJob, "{}", "unexpected data (metadata is missing or invalid)"],
    [calls.getService, "{}", "unexpected data (name is missing or invalid)"],
    [calls.createJob, "{}", "unexpected data (job is missing or invalid)"],
    [calls.getService, Uint8Array.of(0x22, 0xff, 0xfe, 0x22), "text that isn't UTF-8"],
  ])("$op: %j", async (call, body, what) => {
    const problem = await problemOf(apiAnswering(200, body), call);

    expect(problem).toMatchObject({ kind: "unexpected", status: 200, maybeSent: true, op: call.op });
    expect(problem.sentence).toBe(`The workload API sent ${what}.`);
    expect(problem.next).toContain("check WORKLOAD_API_URL");
  });

  /** The answer is so many MB of nothing; `pulled` counts those that were read. */
  function junk(megabytes: number) {
    const read = { pulled: 0 };
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read.pulled += 1;
        if (read.pulled > megabytes) controller.close();
        else controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    return { api: apiOver(() => Promise.resolve(new Response(body))), read };
  }

  test("90 MB of a list are not read to their end", async () => {
    const { api, read } = junk(90);

    const problem = await problemOf(api, calls.listJobs);

    expect(problem.sentence).toBe("The workload API sent a list of more than 64 MB, the most that Gantry reads.");
    expect(problem.next).toBe(
      "Trying again won't help. Name a workload instead, as in “show web”: Gantry then reads that one alone.",
    );
    expect(read.pulled).toBeLessThan(70);
  });

  test("50 MB of something else are not read to their end", async () => {
    const { api, read } = junk(50);

    expect((await problemOf(api, calls.getJob)).sentence).toBe("The workload API sent an answer of more than 16 MB.");
    expect(read.pulled).toBeLessThan(20);
  });

  test("17 MB that are no list are not parsed at once", async () => {
    const text = JSON.stringify("x".repeat(17 * 1024 * 1024));
    const { sentence } = await problemOf(apiAnswering(200, text), calls.listJobs);

    expect(sentence).toBe("The workload API sent invalid or incomplete JSON.");
  });

  test("the content type does not matter when the body is right", async () => {
    const api = apiAnswering(200, '{"jobs":[]}', { "content-type": "text/html" });

    expect(await api.send(calls.listJobs)).toEqual({ jobs: [], skipped: 0 });
  });
});
