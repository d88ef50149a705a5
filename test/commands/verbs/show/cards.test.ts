import { describe, expect, test } from "vitest";
import type { Job } from "../../../../src/api/answers.ts";
import { jobCard } from "../../../../src/commands/verbs/show/job-card.ts";
import { serviceCard } from "../../../../src/commands/verbs/show/service-card.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { command, job, now, report, service, web } from "../../../views/support/workloads.ts";
import { jobStatus, jobProgress } from "../../../../src/views/kit/status.ts";
import { memoryText, serviceMemory } from "../../../../src/views/kit/container-text.ts";

describe("the card of a service", () => {
  test("tells what is known, and of the environment only the names", () => {
    const message = serviceCard({ service: web, region: "beijing1", now, command });

    expect(message.text).toMatchInlineSnapshot(`"Service web: Running, 3 instances, 512 MiB"`);
    expect(drawn(message)).toMatchInlineSnapshot(`
      "# Service web
      Status  🟢 Running
      Instances  3
      Image  gantry/hello-web
      Command  --greeting "hello you"
      Memory  512 MiB per instance
      Environment  LOG_LEVEL, API_TOKEN
      Ports  8080/tcp → http://web-dana.example.org:31080
      Domains  http://web-dana.example.org:80, http://shop.example.org
      Volumes  data (disk web-data) at /var/lib/data, read-only
      Created  2026-11-18 11:00 UTC (3 d ago)
      Region  beijing1
      UID  7d0e6f9c-0c6b-4a39-8a53-2f1d0d8c0b77
      Values of environment variables are never shown.
      Log: /gantry logs web"
    `);
    expect(JSON.stringify(message)).not.toContain("hunter2");
  });

  test("says why a service that should run does not", () => {
    const reason = "This user may run 50 instances; 48 are in use, and this request needs 5 more.";
    const failed = service("web", { status: "Failed", status_reason: reason });

    expect(drawn(serviceCard({ service: failed, region: "beijing1", now, command }))).toContain(
      `Status  🔴 Failed\nWhy  ${reason}`,
    );
  });

  test("shows the first of 200 domains", () => {
    const domains = Array.from({ length: 200 }, (_, at) => `shop-${at}.example.org`);

    const message = serviceCard({
      service: service("web", { binding_domain_name: domains }),
      region: "beijing1",
      now,
      command,
    });

    expect(drawn(message)).toContain("http://shop-7.example.org and 192 more");
  });

  test("names the region in its hints where it has to be typed", () => {
    const message = serviceCard({ service: web, region: "beijing2", now, command, defaultRegion: "beijing1" });

    expect(drawn(message)).toContain("/gantry logs web --region beijing2");
  });

  test("has a line for each of several containers", () => {
    const [container] = web.containers ?? [];
    const containers = ["web", "proxy", "cache", "agent", "five", "six"].map((name) => ({
      ...container,
      name,
      env: [],
    }));

    const message = serviceCard({ service: service("web", { containers }), region: "beijing1", now, command });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "# Service web
      Status  🟢 Running
      Instances  3
      Container web  gantry/hello-web · 512 MiB · --greeting "hello you"
      Container proxy  gantry/hello-web · 512 MiB · --greeting "hello you"
      Container cache  gantry/hello-web · 512 MiB · --greeting "hello you"
      And  3 more containers
      Ports  8080/tcp → http://web-dana.example.org:31080
      Domains  http://web-dana.example.org:80, http://shop.example.org
      Volumes  data (disk web-data) at /var/lib/data, read-only
      Created  2026-11-18 11:00 UTC (3 d ago)
      Region  beijing1
      UID  7d0e6f9c-0c6b-4a39-8a53-2f1d0d8c0b77
      Log: /gantry logs web"
    `);
  });

  test("says little about a service of which only the name is known", () => {
    const message = serviceCard({ service: { name: "web" }, region: "beijing1", now, command });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "# Service web
      Status  status not told
      Region  beijing1
      Log: /gantry logs web"
    `);
  });
});

describe("the card of a job", () => {
  test("of a job that is complete", () => {
    const message = jobCard({ job: report, region: "us", now, command });

    expect(message.text).toMatchInlineSnapshot(`"Job report: Complete, 1 of 1 done"`);
    expect(drawn(message)).toMatchInlineSnapshot(`
      "# Job report
      Status  ✅ Complete
      Instances  1 of 1 done
      Created  2026-11-21 02:00 UTC (10 h ago)
      Started  2026-11-21 02:00 UTC
      Ended  2026-11-21 02:00 UTC (took 11 s)
      Image  gantry/batch
      Command  10 --exit 0
      Memory  512 MiB per instance
      CPU  500m
      Volumes  data at /data, read-only
      Instance names  report-x7k2p
      Region  us
      UID  5f1c0f9e-5c55-4a43-9a63-0d9f3f1a0b11
      Log: /gantry logs job/report"
    `);
  });

  test("says why it failed, and how to read the log of each instance", () => {
    const failed: Job = {
      ...job("report", {
        failed: 6,
        conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "tried 6 times" }],
      }),
      instance_names: ["report-a", "report-b"],
    };

    const message = jobCard({ job: failed, region: "us", now, command });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "# Job report
      Status  🔴 Failed
      Instances  0 of 1 done, 6 failed
      Why  BackoffLimitExceeded: tried 6 times
      Created  2026-11-21 02:00 UTC (10 h ago)
      Image  gantry/batch
      Command  10 --exit 0
      Memory  512 MiB per instance
      CPU  500m
      Volumes  data at /data, read-only
      Instance names  report-a, report-b
      Region  us
      UID  5f1c0f9e-5c55-4a43-9a63-0d9f3f1a0b11
      Log of the newest instance: /gantry logs job/report. Of another one: add --instance report-a"
    `);
  });
});

test.each<[string, Job["status"], string]>([
  ["just created", {}, "Pending"],
  ["started", { startTime: "2026-11-21T02:00:00Z" }, "Running"],
  ["active", { active: 1 }, "Running"],
  ["one try failed", { startTime: "2026-11-21T02:00:00Z", failed: 1, active: 1 }, "Running"],
  ["complete", report.status, "Complete"],
  ["complete without conditions", { completionTime: "2026-11-21T02:00:11Z" }, "Complete"],
  [
    "complete in two steps",
    {
      conditions: [
        { type: "SuccessCriteriaMet", status: "True" },
        { type: "Complete", status: "True" },
      ],
    },
    "Complete",
  ],
  ["failed", { conditions: [{ type: "Failed", status: "True" }] }, "Failed"],
  ["not failed", { conditions: [{ type: "Failed", status: "False" }], active: 1 }, "Running"],
  ["unknown", { conditions: [{ type: "Hibernating", status: "True" }] }, "Hibernating"],
])("the status of a job that is %s", (_what, status, expected) => {
  expect(jobStatus(job("report", status))).toBe(expected);
});

test("a job without a status is pending", () => {
  expect(jobStatus({ ...report, status: undefined })).toBe("Pending");
});

test("progress is told with and without the wanted number", () => {
  const texts = [report, { ...report, spec: {}, status: {} }].map(jobProgress);

  expect(texts).toEqual(["1 of 1 done", "0 done"]);
});

test.each([
  [512, "512 MiB"],
  ["512", "512 MiB"],
  ["512Mi", "512 MiB"],
  ["1.5Gi", "1.5 GiB"],
  ["lots", "lots"],
  ["", undefined],
  [undefined, undefined],
])("memory %j is shown as %j", (memory, expected) => {
  expect(memoryText(memory)).toBe(expected);
});

test("the memory of several containers is told one by one", () => {
  const containers = [{ resources: { limits: { memory: 512 } } }, {}, { resources: { limits: { memory: "256" } } }];

  expect(serviceMemory(service("web", { containers }))).toBe("512 MiB + no limit + 256 MiB");
  expect(serviceMemory(service("web", { containers: [{}] }))).toBe("–");
});
