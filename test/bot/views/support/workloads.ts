import type { Job, Service } from "../../../../src/api/answers.ts";
import { asRead, type PlainJob, type PlainService } from "../../../support/as-read.ts";
import type { Ask } from "../../../../src/bot/ask.ts";

export const now = new Date("2026-11-21T12:00:00Z");
export const command = "/gantry";

export function ask(verb: string, args: Ask["args"] = {}): Ask {
  return { verb, share: false, args };
}

export const web: Service = {
  region: "beijing1",
  uid: "7d0e6f9c-0c6b-4a39-8a53-2f1d0d8c0b77",
  name: "web",
  created_at: "2026-11-18T11:00:00Z",
  status: "Running",
  target_instance_size: 3,
  containers: [
    {
      name: "web",
      image: "gantry/hello-web",
      command: ["--greeting", "hello you"],
      env: [
        { name: "LOG_LEVEL", value: "info" },
        { name: "API_TOKEN", value: "hunter2" },
      ],
      ports: [{ container_port: 8080, protocol: "TCP" }],
      resources: { limits: { memory: "512" } },
      volumeMounts: [{ name: "data", mountPath: "/var/lib/data" }],
    },
  ],
  port_mappings: [{ service_url: "web-dana.example.org:31080", container_port: 8080, protocol: "tcp" }],
  volumes: [{ name: "data", disk_name: "web-data", fsType: "ext4", is_read_only: true }],
  default_domain_name: "web-dana.example.org:80",
  binding_domain_name: ["shop.example.org"],
};

export const report: Job = {
  instance_names: ["report-x7k2p"],
  metadata: { name: "report", uid: "5f1c0f9e-5c55-4a43-9a63-0d9f3f1a0b11", creationTimestamp: "2026-11-21T02:00:00Z" },
  spec: {
    completions: 1,
    template: {
      spec: {
        volumes: [{ name: "data" }],
        containers: [
          {
            name: "report",
            image: "gantry/batch",
            command: ["10", "--exit", "0"],
            resources: { limits: { cpu: "500m", memory: "512Mi" } },
            volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }],
          },
        ],
      },
    },
  },
  status: {
    conditions: [{ type: "Complete", status: "True" }],
    startTime: "2026-11-21T02:00:00Z",
    completionTime: "2026-11-21T02:00:11Z",
    succeeded: 1,
  },
};

export function service(name: string, more: Partial<PlainService> = {}): Service {
  return asRead({ ...web, name, ...more });
}

export function job(name: string, status: PlainJob["status"] = report.status): Job {
  return asRead({ ...report, metadata: { ...report.metadata, name }, status });
}
