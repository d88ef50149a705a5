import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LocalSlack } from "../../src/bot/compose/stand-ins/local-slack.ts";

type Wanted = {
  readonly dataDir: string;
  readonly slack: {
    readonly access: Pick<LocalSlack["access"], "botToken" | "apiUrl" | "transport">;
  };
  readonly apiUrl: string;
  /** Variables beside those. */
  readonly env?: Readonly<Record<string, string>>;
};

/** The bot as it is deployed, in a process of its own. */
export type GantryProcess = {
  readonly port: number;
  readonly output: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number | null>;
};

/** What a program of ours needs beside its settings: without what was compiled before, it takes longer to start. */
export const inherited = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

const main = fileURLToPath(new URL("../../src/gantry.js", import.meta.url));

/** Starts `gantry` on a free port; resolves when it takes commands. */
export async function startGantryProcess({ dataDir, slack, apiUrl, env }: Wanted): Promise<GantryProcess> {
  const child = runMain({
    PORT: "0",
    GANTRY_DATA: dataDir,
    SLACK_BOT_TOKEN: slack.access.botToken,
    ...transportEnv(slack),
    SLACK_API_URL: slack.access.apiUrl,
    WORKLOAD_API_URL: apiUrl,
    WORKLOAD_API_USERNAME: "dana",
    WORKLOAD_API_TOKEN: "a-token-that-only-this-test-knows",
    ...env,
  });
  const { process, output } = child;
  const exited = once(process, "exit").then(([code]) => code as number | null); // Node's own types say any
  const port = await Promise.race([portIn(process, output), exited.then((code) => failed(code, output()))]);
  return { port, output, kill: (signal) => void process.kill(signal), exited };
}

function transportEnv({ access: { transport } }: Wanted["slack"]): Record<string, string> {
  return transport.kind === "socket"
    ? { SLACK_APP_TOKEN: transport.appToken }
    : { SLACK_SIGNING_SECRET: transport.signingSecret };
}

/** Runs `gantry` with nothing in its environment but this. */
export function runMain(env: Readonly<Record<string, string>>): { process: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [main], {
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => (text += chunk));
  }
  return { process: child, output: () => text };
}

function portIn(process: ChildProcess, output: () => string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  process.stdout?.on("data", () => {
    const port = /http:\/\/127\.0\.0\.1:(\d+)\/healthz/u.exec(output())?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  return promise;
}

function failed(code: number | null, output: string): never {
  throw new Error(`gantry ended with ${code}: ${output}`);
}
