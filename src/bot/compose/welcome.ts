import type { Config } from "./config.ts";
import type { Gantry } from "./gantry.ts";

type Ports = Pick<Gantry, "botPort" | "playgroundPort">;

/** The next steps, printed after the start. Pure. */
export function welcome({ slack, service, settings, listen, dataDir }: Config, ports: Ports): string {
  const { command } = settings;
  const where = `http://${listen.host}:${ports.botPort}`;
  const health = `Health: ${where}/healthz and ${where}/readyz`;
  if (slack.kind === "real") {
    return [withRealSlack(slack.transport.kind, { command, where }), health].join("\n");
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

function withRealSlack(transport: "http" | "socket", { command, where }: { command: string; where: string }): string {
  return transport === "socket"
    ? `Gantry is running over Socket Mode. In Slack, type ${command} help`
    : `Gantry is running. Point Slack's request URL to ${where}/slack/events through your public https address.`;
}
