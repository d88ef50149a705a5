import type { Config } from "../config.ts";

type Done = {
  readonly file: string;
  /** Variables that were in the file and aren't used any more. */
  readonly removed: readonly string[];
  /** The image keeps the file in its volume, and has no npm. */
  readonly isImage: boolean;
};

/** What to do after the set-up. Pure. */
export function lastWords({ slack, settings, listen }: Config, { file, removed, isImage }: Done): string {
  const { command } = settings;
  const start = isImage
    ? "Start the bot's container with the same volume (docs/deployment.md)"
    : "Start Gantry: npm start";
  if (slack.kind !== "real") return `Wrote ${file}.`;
  const address =
    slack.transport.kind === "http"
      ? [`Forward https://…/slack/events to http://${listen.host}:${listen.port}/slack/events`]
      : [];
  const first =
    slack.tokens.kind === "oauth"
      ? [
          `Forward ${slack.tokens.url} to http://${listen.host}:${listen.port}, and open ${slack.tokens.url}/slack/install`,
          `In Slack, as an admin of the workspace: ${command} connect workspace`,
        ]
      : ["In Slack, in a channel: /invite @gantry"];
  const doctor = isImage ? "docker exec gantry node src/bin/doctor.ts" : "npm run doctor";
  const steps = [start, ...address, ...first, `Then: ${command} list`, `If something doesn't work: ${doctor}`];
  const wrote = `Wrote ${file}, readable only by you.${removed.length === 0 ? "" : ` Removed ${removed.join(", ")}.`}`;
  return [wrote, ...steps.map((step, at) => `  ${at + 1}. ${step}`)].join("\n");
}
