import type { WireCommand } from "../../live/wire.ts";

/** What Slack itself understands here, beside the commands of the app. */
export const ownCommands: readonly WireCommand[] = [
  { command: "/invite", description: "Let somebody, or an app, into this channel", usageHint: "@name" },
  { command: "/remove", description: "Take somebody, or an app, out of this channel", usageHint: "@name" },
];
