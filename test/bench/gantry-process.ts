import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isUp } from "../support/is-up.ts";
import { freePort } from "../support/free-port.ts";
import type { InGantryCalls } from "./in-gantry.ts";
import { endWithUs, type Remote, remoteOver } from "./remote.ts";
import { signingSecret } from "./delivery.ts";

export type GantryProcess = {
  readonly pid: number;
  readonly port: number;
  /** What is asked inside the process, if that was wanted. */
  readonly inside?: Remote<InGantryCalls>;
};

const STARTS_WITHIN_MS = 20_000;

const folders: string[] = [];
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The bot as it is deployed, against the stand-ins; ready when it resolves. */
export async function startGantry(stands: {
  readonly program: string;
  readonly apiPort: number;
  readonly slackPort: number;
  /** Over Socket Mode, with this token. */
  readonly appToken?: string;
  readonly isAsked?: boolean;
  /** With metrics, at a free port. */
  readonly isMeasured?: boolean;
  /** For workspaces that install the app. */
  readonly isInstalled?: boolean;
}): Promise<GantryProcess> {
  const data = mkdtempSync(join(tmpdir(), "gantry-bench-"));
  folders.push(data);
  const port = await freePort();
  const logFile = join(data, "bot.log");
  const log = openSync(logFile, "a");
  const inside = stands.isAsked === true ? ["--import", new URL("in-gantry.ts", import.meta.url).href] : [];
  const child = spawn(process.execPath, [...inside, stands.program, "bot"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", log, log, ...(stands.isAsked === true ? (["ipc"] as const) : [])], // not any text
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      GANTRY_DATA: data,
      ...(stands.isInstalled === true
        ? {
            SLACK_CLIENT_ID: "1.2",
            SLACK_CLIENT_SECRET: "0123456789abcdef0123456789abcdef",
            GANTRY_URL: `http://127.0.0.1:${port}`,
          }
        : {
            SLACK_BOT_TOKEN: "xoxb-bench-token",
            WORKLOAD_API_USERNAME: "bench",
            WORKLOAD_API_TOKEN: "bench-api-token",
          }),
      ...(stands.appToken === undefined
        ? { SLACK_SIGNING_SECRET: signingSecret }
        : { SLACK_APP_TOKEN: stands.appToken }),
      SLACK_API_URL: `http://127.0.0.1:${stands.slackPort}/api/`,
      WORKLOAD_API_URL: `http://127.0.0.1:${stands.apiPort}`,
      ...(stands.isMeasured === true && { GANTRY_METRICS_PORT: "0" }),
    },
  });
  closeSync(log);
  endWithUs(child);
  const deadline = Date.now() + STARTS_WITHIN_MS;
  while (!(await isUp(`http://127.0.0.1:${port}/readyz`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(
        `${stands.program} did not become ready. Its last words:\n${readFileSync(logFile, "utf8").slice(-2000)}`,
      );
    }
    await sleep(50);
  }
  const process_ = { pid: child.pid ?? 0, port };
  return stands.isAsked === true ? { ...process_, inside: remoteOver<InGantryCalls>(child, stands.program) } : process_;
}
