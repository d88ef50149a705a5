import { readConfig, secretsOf, type ConfigOptions } from "./config.ts";
import { endOnCrash } from "./crash.ts";
import { startGantry, type Gantry } from "./gantry.ts";
import { createLog } from "./log.ts";
import { welcome } from "./welcome.ts";

/** Over these, whoever waits for the process (a terminal, Docker, Kubernetes) has lost patience. */
const END_WITHIN_MS = 25_000;

/** Configuration, parts, start, stop. Resolves when Gantry runs; its end is up to a signal. */
export async function main(env: NodeJS.ProcessEnv, options: ConfigOptions = {}): Promise<void> {
  let gantry: Gantry | undefined;
  try {
    const config = readConfig(env, options);
    const log = createLog({ level: config.logLevel, secrets: secretsOf(config) });
    for (const notice of config.notices) print(notice);
    const starting = startGantry(config, log);
    const end = endWith(() => starting.then(({ stop }) => stop()));
    endOnCrash({ log, underWay: () => gantry?.underWay() ?? [], end });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(0));
    gantry = await starting;
    for (const notice of gantry.notices) print(notice);
    print(welcome(config, gantry));
    log.info({ port: gantry.botPort, playgroundPort: gantry.playgroundPort }, "Gantry is ready");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One Ctrl-C comes twice under npm: from the terminal, and forwarded by npm. */
const SAME_CTRL_C_MS = 500;

/** Stops and exits; asked a second time (another Ctrl-C), it exits at once. */
function endWith(stop: () => Promise<void>): (code: number) => void {
  let endingSince: number | undefined;
  let worst = 0;
  return (code) => {
    worst = Math.max(worst, code);
    if (endingSince !== undefined) {
      // A crash while it ends has its code counted; only a person who asks again cuts it short.
      if (code === 0 && performance.now() - endingSince > SAME_CTRL_C_MS) process.exit(worst === 0 ? 130 : worst);
      return;
    }
    endingSince = performance.now();
    setTimeout(() => process.exit(1), END_WITHIN_MS).unref();
    stop().then(
      () => process.exit(worst),
      (error: unknown) => {
        process.stderr.write(`Gantry did not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
}

if (import.meta.main) await main(process.env);
