import type { WireChannel, WireExchange, WireMessage, WireSnapshot, WireUpdate } from "../../../src/playground/wire.ts";

// Small samples of the data sent to the page.

const channel = (id: string, name: string, more: Partial<WireChannel> = {}): WireChannel => ({
  id,
  name,
  kind: "public",
  members: ["U0DANA"],
  hasBot: true,
  isArchived: false,
  ...more,
});

const user = (id: string, name: string, realName: string) => ({
  id,
  name,
  realName,
  role: "developer",
  isBot: id === "U0BOT",
  isGuest: false,
  isAdmin: false,
  isOutsider: false,
  isDeactivated: false,
});

export const snapshot: WireSnapshot = {
  you: "U0DANA",
  team: "Playground",
  workspaces: [{ name: "Playground", as: "dana" }],
  install: null,
  app: {
    name: "Gantry",
    user: "U0BOT",
    scopes: ["chat:write"],
    commands: [{ command: "/gantry", description: "Run things", usageHint: "list · show NAME · create …" }],
    shortcuts: [{ name: "New workload", callbackId: "new", type: "global", description: "A form" }],
  },
  users: [user("U0DANA", "dana", "Dana Reyes"), user("U0ALEX", "alex", "Alex Kim"), user("U0BOT", "gantry", "gantry")],
  people: ["U0DANA", "U0ALEX"],
  groups: [{ id: "S0", handle: "oncall", name: "On call", users: ["U0ALEX"] }],
  channels: [
    channel("C0OPS", "ops"),
    channel("C0GENERAL", "general"),
    channel("D0BOT", "directmessage", { kind: "im", partner: "U0BOT" }),
  ],
  modal: null,
  home: null,
  reads: {},
  faults: {
    isNetworkCut: false,
    sockets: null,
    slowMs: 0,
    retryAfterSeconds: 1,
    deliverTwice: false,
    signsWrongly: false,
    signatureAgeSeconds: 0,
    answers: "",
    answersTo: "all",
    answersIn: "",
    tokenError: "",
    missingScopes: [],
    refusesUploads: false,
    extra: [],
  },
};

export const message = (ts: string, more: Partial<WireMessage> = {}): WireMessage => ({
  ts,
  channel: "C0OPS",
  user: "U0ALEX",
  text: ts,
  blocks: [],
  files: [],
  isEphemeral: false,
  isEdited: false,
  ...more,
});

export const exchange = (id: number, ms: number | null): WireExchange => ({
  id,
  direction: "to bot",
  kind: "slash_command",
  connection: null,
  atMs: 0,
  status: 200,
  ms,
  outcome: "ok",
  refusal: null,
});

export const update = (more: Partial<WireUpdate>): WireUpdate => ({
  isWhole: false,
  messages: [],
  gone: [],
  exchanges: [],
  ...more,
});
