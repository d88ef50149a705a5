import { machineClock } from "../../platform/clock.ts";
import { readConfig, type Config } from "./config.ts";
import type { Gantry } from "./gantry.ts";
import { operatorSentence, StoreError } from "../errors.ts";
import { endLoading, endOnCrash, stopOnSignals } from "./entry.ts";
import { closeLog, createLog } from "../../platform/log.ts";
import type { ConfigOptions } from "./config-problems.ts";

/** Reads the configuration and starts Gantry. Resolves when it runs; a signal stops it. */
export async function runGantry(env: NodeJS.ProcessEnv, options: ConfigOptions = {}): Promise<void> {
  let gantry: Gantry | undefined;
  const stopping = new AbortController();
  try {
    const config = readConfig(env, options);
    const { logLevel: level, logFormat: format, secrets } = config;
    const log = createLog({ level, format, secrets });
    for (const notice of config.notices) print(notice);
    // Loading the rest takes longer than finding out that the configuration is wrong.
    const { startGantry } = await import("./gantry.ts");
    const { signal } = stopping;
    const onRefused = (sentence: string): void => {
      process.stderr.write(`${sentence}\n`);
      end(1);
    };
    const starting = startGantry(config, log, { signal, onRefused });
    const end = stopOnSignals(machineClock, async () => {
      log.info({ inProgress: gantry?.inProgress().length ?? 0 }, "Gantry is stopping");
      stopping.abort();
      const left = await stopStarted(starting, signal);
      log.info({ left }, "Gantry has stopped");
      await closeLog(log);
    });
    endOnCrash({ log, inProgress: () => gantry?.inProgress() ?? [], end });
    gantry = await starting;
    for (const notice of gantry.notices) print(notice);
    print(welcome(config, gantry, env));
    const { botPort: port, playgroundPort, metricsPort } = gantry;
    log.info({ port, playgroundPort, metricsPort }, "Gantry is ready");
    endLoading();
  } catch (error) {
    // A signal arrived during the start: `stopOnSignals` exits.
    if (isReasonOf(stopping.signal, error)) return;
    process.stderr.write(`${failedStart(error)}\n`);
    process.exit(1);
  }
}

/** Resolves to the number of unfinished deliveries and changes, for another replica or the next start. */
async function stopStarted(starting: Promise<Gantry>, signal: AbortSignal): Promise<number> {
  try {
    const { stop, inProgress } = await starting;
    await stop();
    return inProgress().length;
  } catch (error) {
    if (isReasonOf(signal, error)) return 0;
    throw error;
  }
}

function isReasonOf({ aborted, reason }: AbortSignal, error: unknown): boolean {
  return aborted && error === reason;
}

function failedStart(error: unknown): string {
  if (error instanceof StoreError) return `Gantry wasn't started. ${operatorSentence(error)}`;
  return error instanceof Error ? error.message : String(error);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The image sets GANTRY_ENV_FILE and starts Gantry without npm. */
function isImage(env: NodeJS.ProcessEnv): boolean {
  return env["GANTRY_ENV_FILE"] !== undefined && env["npm_lifecycle_event"] === undefined;
}

/** The next steps, printed after the start. The image has no npm to run them with. Pure. */
export function welcome(
  { slack, service, settings, listen, dataDir }: Config,
  ports: Pick<Gantry, "botPort" | "playgroundPort">,
  env: NodeJS.ProcessEnv,
): string {
  const { command } = settings;
  const where = `http://${listen.host}:${ports.botPort}`;
  const health = `Health: ${where}/healthz and ${where}/readyz`;
  if (slack.kind === "real") {
    const next =
      slack.transport.kind === "socket"
        ? `Gantry is running over Socket Mode. In Slack, type ${command} help`
        : `Gantry is running. Point Slack's request URL to ${where}/slack/events through your public https address.`;
    return [next, health].join("\n");
  }
  const page = `http://localhost:${ports.playgroundPort}`;
  const url = ports.playgroundPort === 3001 ? "" : `PLAYGROUND_URL=http://127.0.0.1:${ports.playgroundPort} `;
  const shell = (words: string): string =>
    isImage(env) ? `  docker exec gantry gantry say ${words}` : `  ${url}npm run say -- ${words}`;
  const say = (text: string): string => shell(`"${command} ${text}"`);
  const engine = service.kind === "embedded" ? service.engine.descriptor : undefined;
  if (slack.workspaces === "several") {
    return [
      "Gantry is running with a simulated Slack of several workspaces. None has installed it yet.",
      `Install it: ${where}/slack/install`,
      `Then a workspace admin types: ${command} connect workspace`,
      "",
      `${health}. Press Ctrl-C to stop.`,
      `open ${page}`,
    ].join("\n");
  }
  return [
    `Gantry is running with a simulated Slack workspace${engine === undefined ? "." : ` and ${engine.says.running}`}`,
    ...(engine === undefined ? [] : [`Data: ${dataDir}`]),
    "",
    "Try it from another terminal:",
    say("list"),
    ...(engine?.isTrial === true
      ? [say("logs worker --grep error"), say("restart web"), shell("--as alex --click Approve")]
      : []),
    say("help"),
    "",
    `${health}. Press Ctrl-C to stop.`,
    `open ${page}`,
  ].join("\n");
}
