import type { PlaygroundOptions } from "../../src/playground/playground.ts";

/** The harbour's app: it uses what Gantry uses, in other combinations. */
export const smallAppManifest: PlaygroundOptions["app"] = {
  name: "Harbour",
  botDisplayName: "harbour",
  commands: ["/berth", "/berths"],
  commandHints: [
    { command: "/berth", description: "Book a berth", usageHint: "book · pick · move · long · wrong · slow" },
    { command: "/berths", description: "List what is booked" },
  ],
  scopes: ["chat:write", "commands", "app_mentions:read", "im:history", "im:write", "channels:read", "users:read"],
  events: ["app_mention", "app_home_opened", "message.im"],
  shortcuts: [
    { type: "global", name: "Book a berth now", callbackId: "book", description: "Opens the form" },
    { type: "message", name: "Put on the notice board", callbackId: "pin", description: "Keeps a message" },
  ],
};
