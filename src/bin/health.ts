import { readFileSync } from "node:fs";

// The health check of the container image: exits with 0 when the container's program answers that it is well.

/** The workload API alone has another port; the first process of the container says which of them runs. */
const isServiceAlone = readFileSync("/proc/1/cmdline", "utf8").split("\0").includes("service");
const { HOST, PORT, SERVICE_HOST, SERVICE_PORT } = process.env;
const [host, port] = isServiceAlone ? [SERVICE_HOST, SERVICE_PORT || "3002"] : [HOST, PORT || "3000"];
const address = host && host !== "0.0.0.0" && host !== "::" ? host : "127.0.0.1";

try {
  const { ok } = await fetch(`http://${address.includes(":") ? `[${address}]` : address}:${port}/healthz`);
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
