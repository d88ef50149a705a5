// The process of gantry-runs.ts.
import { registerHooks } from "node:module";
import type { Run } from "./gantry-runs.ts";

class ExitError extends Error {}

const src = new URL("../../src/", import.meta.url).href;
let runs = 0;

// An entry runs when it is imported, so each run imports it anew. All other modules stay.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isEntry = found.url.startsWith(`${src}bin/`) || found.url === `${src}main.ts`;
    return isEntry ? { ...found, url: `${found.url}?run=${runs}` } : found;
  },
});

process.exit = (code) => {
  process.exitCode = code;
  throw new ExitError();
};

async function run({ program, args, env }: Run): Promise<number> {
  runs += 1;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, process.argv.length, ...args);
  process.exitCode = undefined;
  try {
    await import(`${src}${program}`);
  } catch (error) {
    if (!(error instanceof ExitError)) {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    }
  }
  for (const event of ["SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection"])
    process.removeAllListeners(event);
  return process.exitCode ?? 0;
}

process.on("message", (asked: Run) => void run(asked).then((code) => process.send?.(code)));
// The exit code of the last run doesn't matter then.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
