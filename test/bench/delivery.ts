import { personOf, triggerOf, viewOf } from "./marks.ts";
import { signed, type Signed } from "./signed.ts";

/** What Slack delivers in the bench. `suggestion`: somebody types into a picker; `connect`: links an account of their own. */
export type DeliveryKind = "command" | "home" | "suggestion" | "connect";

export type Delivery = {
  readonly kind: DeliveryKind;
  /** Of a command: its words; of a suggestion: what was typed so far. */
  readonly text: string;
  readonly sinkPort: number;
  /** With `at` the name of this one; no other delivery of its kind has it. */
  readonly group: string;
  readonly at: number;
  /** Who does it; without one a person whom everything may happen to, who acts with the workspace's account. */
  readonly person?: string;
  /** The workspace; without one that of the bot's token. */
  readonly teamId?: string;
};

const TEAM = "T0BENCH";

/** As Slack sends it, signed now. */
export function signedDelivery(delivery: Delivery): Signed {
  switch (delivery.kind) {
    case "command":
      return form(command(delivery));
    case "home":
      return signed(JSON.stringify(homeOpened(delivery)), "application/json");
    case "suggestion":
      return form({ payload: JSON.stringify(suggestion(delivery)) });
    case "connect":
      return form({ payload: JSON.stringify(connect(delivery)) });
  }
}

export type Envelope = { readonly id: string; readonly frame: string };

/** A command as Slack sends it over Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode */
export function commandEnvelope(delivery: Delivery): Envelope {
  const id = triggerOf(delivery);
  const envelope = { envelope_id: id, type: "slash_commands", accepts_response_payload: true };
  return { id, frame: JSON.stringify({ ...envelope, payload: command(delivery) }) };
}

function form(fields: Record<string, string>): Signed {
  return signed(new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
function command({ text, group, at, sinkPort, person = "U0BENCH", teamId = TEAM }: Delivery): Record<string, string> {
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
    response_url: `http://127.0.0.1:${sinkPort}/response/${group}/${at}`,
    trigger_id: triggerOf({ group, at }),
  };
}

/** https://docs.slack.dev/reference/events/app_home_opened */
function homeOpened({ group, at, person = personOf({ group, at }) }: Delivery): object {
  return {
    token: "legacy",
    team_id: TEAM,
    api_app_id: "A0BENCH",
    type: "event_callback",
    event_id: `Ev${group}${at}`,
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

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload */
function suggestion({ text, group, at, person = personOf({ group, at }) }: Delivery): object {
  return {
    ...interaction("block_suggestion", person),
    container: { type: "view", view_id: viewOf({ group, at }) },
    action_id: "pick:service",
    block_id: "name",
    value: text,
    view: {
      id: viewOf({ group, at }),
      type: "modal",
      callback_id: "form:scale",
      private_metadata: JSON.stringify({ verb: "scale", origin: originOf(person) }),
      state: { values: {} },
    },
  };
}

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
function connect({ text: username, group, at, person = personOf({ group, at }), teamId }: Delivery): object {
  const typed = (id: string, value: string) => ({ [id]: { [id]: { type: "plain_text_input", value } } });
  return {
    ...interaction("view_submission", person, teamId),
    trigger_id: triggerOf({ group, at }),
    view: {
      id: viewOf({ group, at }),
      type: "modal",
      callback_id: "account:connect",
      private_metadata: JSON.stringify({ whose: "mine", origin: originOf(person, teamId) }),
      state: { values: { ...typed("username", username), ...typed("token", "bench-own-token") } },
    },
  };
}
