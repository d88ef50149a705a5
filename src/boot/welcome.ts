import type { Config } from "./config.ts";
import type { Gantry } from "../gantry.ts";

type Ports = Pick<Gantry, "botPort" | "playgroundPort">;

/** The next steps, printed after the start. Pure. */
export function welcome({ slack, service, settings, listen, dataDir }: Config, ports: Ports): string {
  const { command } = settings;
  const where = `http://${listen.host}:${ports.botPort}`;
  const health = `Health: ${where}/healthz and ${where}/readyz`;
  if (slack.kind === "real") {
    return [
      `Gantry is running. Point Slack's request URL to ${where}/slack/events through your public https address.`,
      health,
    ].join("\n");
  }
  const page = `http://localhost:${ports.playgroundPort}`;
  const url = ports.playgroundPort === 3001 ? "" : `PLAYGROUND_URL=http://127.0.0.1:${ports.playgroundPort} `;
  const shell = (words: string): string => `  ${url}npm run say -- ${words}`;
  const say = (text: string): string => shell(`"${command} ${text}"`);
  const { kind } = service;
  return [
    "Gantry is running with a simulated Slack workspace" +
      (kind === "embedded" ? " and a workload API that runs real processes on this machine." : "."),
    ...(kind === "embedded" ? [`Data: ${dataDir}`] : []),
    "",
    "Try it from another terminal:",
    say("list"),
    ...(kind === "embedded"
      ? [say("logs worker --grep error"), say("restart web"), shell("--as alex --click Approve")]
      : []),
    say("help"),
    "",
    `${health}. Press Ctrl-C to stop.`,
    `open ${page}`,
  ].join("\n");
}
