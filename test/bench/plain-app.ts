import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.ts";
import { endWithUs } from "./remote.ts";

/** Starts the bare app in plain JavaScript; resolves to its process when it listens. */
export async function startPlainApp(): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("plain-app.js", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], NODE_ENV: "production", PORT: String(await freePort()) },
  });
  endWithUs(child);
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => {
      throw new Error("the bare app in plain JavaScript did not start");
    }),
  ]);
  return child.pid ?? 0;
}
