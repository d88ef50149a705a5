import { readConfig } from "./config.ts";
import { secretsOf } from "./secrets.ts";
import { endOnCrash } from "./crash.ts";
import { startGantry, type Gantry } from "./gantry.ts";
import { endLoading } from "./loading.ts";
import { createLog } from "../../platform/log.ts";
import { stopOnSignals } from "./shutdown.ts";
import { welcome } from "./welcome.ts";
import type { ConfigOptions } from "./wrong-sets.ts";

/** Reads the configuration and starts Gantry. Resolves when it runs; a signal stops it. */
export async function runGantry(env: NodeJS.ProcessEnv, options: ConfigOptions = {}): Promise<void> {
  let gantry: Gantry | undefined;
  try {
    const config = readConfig(env, options);
    const log = createLog({ level: config.logLevel, secrets: secretsOf(config) });
    for (const notice of config.notices) print(notice);
    const starting = startGantry(config, log, (sentence) => {
      process.stderr.write(`${sentence}\n`);
      end(1);
    });
    const end = stopOnSignals(() => starting.then(({ stop }) => stop()));
    endOnCrash({ log, inProgress: () => gantry?.inProgress() ?? [], end });
    gantry = await starting;
    for (const notice of gantry.notices) print(notice);
    print(welcome(config, gantry));
    log.info({ port: gantry.botPort, playgroundPort: gantry.playgroundPort }, "Gantry is ready");
    endLoading();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
