import { createHmac } from "node:crypto";

/** Shared by the crowd and by both apps. */
export const signingSecret = "bench-signing-secret";

/** What Slack delivers in the bench. `connect`: somebody links an account of their own; `pick`: types into a menu of workloads. */
export type DeliveryKind = "command" | "home" | "connect" | "pick";

export type Delivery = {
  readonly kind: DeliveryKind;
  /** Of a command: its words; of an account: its username; of a menu: what is typed. */
  readonly text: string;
  readonly slackPort: number;
  /** Its number in this run. */
  readonly at: number;
  /** Who does it; without one a person whom everything may happen to, who acts with the workspace's account. */
  readonly person?: string;
  /** The workspace; without one that of the bot's token. */
  readonly teamId?: string;
};

const TEAM = "T0BENCH";

export function personOf(at: number): string {
  return `UCROWDX${at}`;
}

export function viewOf(at: number): string {
  return `VCROWDX${at}`;
}

/** Where the answer to a command goes. */
export function answerPath(at: number): string {
  return `/response/crowd/${at}`;
}

/** As Slack sends it, signed now. */
export function signedDelivery(delivery: Delivery): Signed {
  switch (delivery.kind) {
    case "command":
      return form(command(delivery));
    case "home":
      return signed(JSON.stringify(homeOpened(delivery)), "application/json");
    case "connect":
      return form({ payload: JSON.stringify(connect(delivery)) });
    case "pick":
      return form({ payload: JSON.stringify(suggestion(delivery)) });
  }
}

export type Envelope = { readonly id: string; readonly frame: string };

/** A command as Slack sends it over Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode */
export function commandEnvelope(delivery: Delivery): Envelope {
  const id = `1.crowd.${delivery.at}`;
  const envelope = { envelope_id: id, type: "slash_commands", accepts_response_payload: true };
  return { id, frame: JSON.stringify({ ...envelope, payload: command(delivery) }) };
}

function form(fields: Record<string, string>): Signed {
  return signed(new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
function command({ text, at, slackPort, person = "U0BENCH", teamId = TEAM }: Delivery): Record<string, string> {
  return {
    token: "legacy",
    team_id: teamId,
    team_domain: "bench",
    channel_id: "C0BENCH",
    channel_name: "deploys",
    user_id: person,
    user_name: "bench",
    command: "/gantry",
    text,
    api_app_id: "A0BENCH",
    is_enterprise_install: "false",
    response_url: `http://127.0.0.1:${slackPort}${answerPath(at)}`,
    trigger_id: `1.crowd.${at}`,
  };
}

/** https://docs.slack.dev/reference/events/app_home_opened */
function homeOpened({ at, person = personOf(at) }: Delivery): object {
  return {
    token: "legacy",
    team_id: TEAM,
    api_app_id: "A0BENCH",
    type: "event_callback",
    event_id: `Evcrowd${at}`,
    event_time: Math.floor(Date.now() / 1000),
    event: { type: "app_home_opened", user: person, channel: "D0BENCH", tab: "home", event_ts: "1763600000.000100" },
  };
}

function interaction(type: string, person: string, teamId = TEAM): object {
  const team = { id: teamId, domain: "bench" };
  const user = { id: person, username: "bench", name: "bench", team_id: teamId };
  return { type, team, user, enterprise: null, api_app_id: "A0BENCH", token: "legacy", is_enterprise_install: false };
}

function originOf(person: string, teamId = TEAM): object {
  return { userId: person, teamId, channelId: "C0BENCH" };
}

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
function connect({ text: username, at, person = personOf(at), teamId }: Delivery): object {
  const typed = (id: string, value: string) => ({ [id]: { [id]: { type: "plain_text_input", value } } });
  return {
    ...interaction("view_submission", person, teamId),
    trigger_id: `1.crowd.${at}`,
    view: {
      id: viewOf(at),
      type: "modal",
      callback_id: "account:connect",
      private_metadata: JSON.stringify({ whose: "mine", origin: originOf(person, teamId) }),
      state: { values: { ...typed("username", username), ...typed("token", "bench-own-token") } },
    },
  };
}

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload */
function suggestion({ text: value, person = "U0BENCH" }: Delivery): object {
  const container = { type: "message", channel_id: "C0BENCH" };
  return { ...interaction("block_suggestion", person), action_id: "pick:workload", block_id: "pick", value, container };
}

type Signed = { readonly body: string; readonly headers: Readonly<Record<string, string | number>> };

/** As Slack signs what it delivers: https://docs.slack.dev/authentication/verifying-requests-from-slack */
function signed(body: string, contentType: "application/x-www-form-urlencoded" | "application/json"): Signed {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    body,
    headers: {
      // Exactly this: Bolt refuses it with a charset.
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${digest}`,
    },
  };
}
