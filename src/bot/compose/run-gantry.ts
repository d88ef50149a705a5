import { machineClock } from "../../platform/clock.ts";
import type { ProxySettings } from "../../platform/http/network.ts";
import { readConfig, type Config } from "./config.ts";
import { endOnCrash, stopOnSignals } from "./shutdown.ts";
import type { Gantry } from "./gantry.ts";
import { endLoading } from "./entry.ts";
import { createLog } from "../../platform/log.ts";
import type { ConfigOptions } from "./config-problems.ts";
import { urlSecrets } from "../../platform/database/database-tls.ts";

/** Reads the configuration and starts Gantry. Resolves when it runs; a signal stops it. */
export async function runGantry(env: NodeJS.ProcessEnv, options: ConfigOptions = {}): Promise<void> {
  let gantry: Gantry | undefined;
  try {
    const config = readConfig(env, options);
    const { logLevel: level, logFormat: format } = config;
    const log = createLog({ level, format, secrets: secretsOf(config) });
    for (const notice of config.notices) print(notice);
    // Loading the rest takes longer than finding out that the configuration is wrong.
    const { startGantry } = await import("./gantry.ts");
    const starting = startGantry(config, log, (sentence) => {
      process.stderr.write(`${sentence}\n`);
      end(1);
    });
    const end = stopOnSignals(machineClock, () => starting.then(({ stop }) => stop()));
    endOnCrash({ log, inProgress: () => gantry?.inProgress() ?? [], end });
    gantry = await starting;
    for (const notice of gantry.notices) print(notice);
    print(welcome(config, gantry));
    const { botPort: port, playgroundPort, metricsPort } = gantry;
    log.info({ port, playgroundPort, metricsPort }, "Gantry is ready");
    endLoading();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Secrets that must not appear in any log. */
export function secretsOf({ slack, service, store, keys, proxy, tracing, audit }: Config): readonly string[] {
  const secrets = [...proxySecrets(proxy), ...Object.values(tracing?.headers ?? {})];
  if (audit.webhook !== undefined) secrets.push(audit.webhook.secret);
  if (store.kind === "postgres") secrets.push(...urlSecrets(store.url));
  if (keys !== undefined) secrets.push(keys, ...keys.split(",").map((key) => key.slice(key.indexOf(":") + 1)));
  if (slack.kind === "real") {
    const { tokens, transport } = slack;
    secrets.push(tokens.kind === "one" ? tokens.botToken : tokens.clientSecret);
    secrets.push(transport.kind === "http" ? transport.signingSecret : transport.appToken);
  }
  if (service.kind === "embedded") secrets.push(...service.engine.secrets);
  else if (service.account !== undefined) secrets.push(service.account.token);
  return secrets;
}

/** The passwords in the addresses of proxies. */
function proxySecrets({ httpsProxy, httpProxy }: ProxySettings): readonly string[] {
  return [httpsProxy, httpProxy].flatMap((url) => {
    if (url === undefined) return [];
    const { password } = new URL(url);
    return password === "" ? [] : [password, decodeURIComponent(password)];
  });
}

/** The next steps, printed after the start. Pure. */
export function welcome(
  { slack, service, settings, listen, dataDir }: Config,
  ports: Pick<Gantry, "botPort" | "playgroundPort">,
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
  const shell = (words: string): string => `  ${url}npm run say -- ${words}`;
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
