import type { AddressInfo } from "node:net";
import {
  type AllMiddlewareArgs,
  App,
  HTTPReceiver,
  type Logger,
  LogLevel,
  type SlackActionMiddlewareArgs,
} from "@slack/bolt";
import { createPlayground, type Playground } from "../../src/playground/playground.ts";
import { listen } from "../../src/platform/http/listen.ts";
import { smallAppManifest } from "./small-app-manifest.ts";
import { bookingForm, bookingSummary, homeFor, pickers, section } from "./small-app-views.ts";

export type SmallApp = {
  readonly playground: Playground;
  readonly playgroundUrl: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type SmallAppOptions = {
  /** How long Slack waits for an ack. */
  readonly ackMs?: number;
};

const signingSecret = "a-secret-for-the-harbour";
const botToken = "xoxb-for-the-harbour";

/** Tests make the app fail on purpose: what it says of that is no news. */
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** A small app on Bolt in a workspace of its own, both on free ports. */
export async function smallApp({ ackMs = 3000 }: SmallAppOptions = {}): Promise<SmallApp> {
  let [url, botPort] = ["", 0];
  const playground = createPlayground({
    app: smallAppManifest,
    signingSecret,
    botToken,
    ackMs,
    url: () => url,
    requestUrl: () => `http://127.0.0.1:${botPort}/slack/events`,
  });
  const listener = await listen(playground.fetch, { host: "127.0.0.1", port: 0, variable: "PORT" });
  url = `http://127.0.0.1:${listener.port}`;
  const receiver = new HTTPReceiver({ signingSecret, logger: silent });
  const stopping = Promise.withResolvers<void>();
  const app = new App({
    receiver,
    token: botToken,
    // Otherwise Bolt asks for them at once, and in the background.
    botId: "B0BOT",
    botUserId: "U0BOT",
    convoStore: false,
    logger: silent,
    clientOptions: { slackApiUrl: `${url}/api/`, retryConfig: { retries: 0 } },
  });
  hearCommands(app, stopping.promise);
  hearModals(app);
  hearClicks(app);
  hearEvents(app);
  const server = await receiver.start({ port: 0, host: "127.0.0.1" });
  botPort = (server.address() as AddressInfo).port; // a TCP server's address is never a string
  return {
    playground,
    playgroundUrl: url,
    async [Symbol.asyncDispose]() {
      stopping.resolve();
      playground.close();
      await listener.close();
      await receiver.stop();
    },
  };
}

const longName = "northern-light-of-the-eternal-polar-night-".repeat(6);

/** `slow` is held until the app stops. */
function hearCommands(app: App, stopping: Promise<void>): void {
  app.command("/berth", async ({ ack, client, command, respond }) => {
    const { text, trigger_id, channel_id: channel, user_id: user } = command;
    if (text === "slow") return stopping.then(() => ack());
    await ack();
    switch (text) {
      case "book":
        return void (await client.views.open({ trigger_id, view: bookingForm() }));
      case "pick":
        return void (await client.chat.postEphemeral({ channel, user, text: "Northern Light", blocks: pickers() }));
      case "move": {
        const { ts = "" } = await client.chat.postMessage({ channel, text: "Northern Light is under way." });
        return void (await client.chat.update({ channel, ts, text: "Northern Light is moored." }));
      }
      case "long":
        return void (await respond({
          response_type: "in_channel",
          text: `*${longName}*\n\`${longName}\`\n${longName}`,
        }));
      case "wrong":
        return void (await client.chat
          .postMessage({ channel, text: "too many", blocks: Array.from({ length: 51 }, () => section("block")) })
          .catch(() => respond("Slack did not take that.")));
      default:
        return void (await respond(`You typed: ${text}`));
    }
  });
  app.command("/berths", async ({ ack }) => ack("All berths are free."));
}

function hearModals(app: App): void {
  app.options("pier", async ({ ack, options }) => {
    const piers = ["North pier", "North mole", "South pier"].filter((each) =>
      each.toLowerCase().includes(options.value.toLowerCase()),
    );
    await ack({ options: piers.map((value) => ({ text: { type: "plain_text", text: value }, value })) });
  });
  app.view("booking", async ({ ack, view }) => {
    const { values } = view.state;
    const ship = values["ship"]?.["name"]?.value ?? "";
    const pier = values["pier"]?.["pier"]?.selected_option?.value ?? "";
    const day = values["day"]?.["day"]?.selected_date ?? "";
    const needs = values["needs"]?.["needs"]?.selected_options?.map((each) => each.value) ?? [];
    if (ship === "Ever Given") {
      return ack({ response_action: "errors", errors: { ship: "That one is stuck elsewhere." } });
    }
    const words = `${ship} at ${pier} on ${day}, needs ${needs.join(" and ") || "nothing"}`;
    await ack({ response_action: "update", view: bookingSummary(words) });
  });
  app.view("booking-summary", async ({ ack, client, view }) => {
    await ack();
    await client.chat.postMessage({ channel: "C0OPS", text: `Booked: ${view.private_metadata}` });
  });
}

type Clicked = AllMiddlewareArgs & SlackActionMiddlewareArgs;

/** What was picked, in words. */
function pickedIn(action: Clicked["action"]): string {
  switch (action.type) {
    case "overflow":
    case "static_select":
      return action.selected_option.text.text;
    case "checkboxes":
      return action.selected_options.map((each) => each.value).join(" and ");
    case "datepicker":
      return action.selected_date ?? "no day";
    default:
      return "sunk";
  }
}

function hearClicks(app: App): void {
  app.action(/^(?:overflow|needs|day|pier|sink)$/u, async ({ ack, action, respond }: Clicked) => {
    await ack();
    await respond({ replace_original: false, text: `Picked: ${pickedIn(action)}` });
  });
  app.action("ring", async ({ ack, body, client }) => {
    await ack();
    await client.views.publish({ user_id: body.user.id, view: { type: "home", blocks: [section("Ding dong.")] } });
  });
  app.shortcut({ callback_id: "book", type: "shortcut" }, async ({ ack, client, shortcut }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: bookingForm() });
  });
  app.shortcut({ callback_id: "pin", type: "message_action" }, async ({ ack, client, shortcut }) => {
    await ack();
    const { message, channel } = shortcut;
    await client.chat.postMessage({
      channel: channel.id,
      thread_ts: message["thread_ts"] ?? message.ts,
      text: `On the notice board: ${message.text ?? ""}`,
    });
  });
}

function hearEvents(app: App): void {
  const opened = new Map<string, number>();
  app.event("app_home_opened", async ({ client, event }) => {
    if (event.tab !== "home") return;
    const times = (opened.get(event.user) ?? 0) + 1;
    opened.set(event.user, times);
    await client.views.publish({ user_id: event.user, view: { type: "home", blocks: homeFor(event.user, times) } });
  });
  app.event("app_mention", async ({ event, say }) => {
    await say({ thread_ts: event.thread_ts ?? event.ts, text: `Ahoy <@${event.user ?? ""}>` });
  });
  app.message(async ({ message, say }) => {
    if (message.channel_type === "im" && "user" in message) await say(`Heard you, <@${message.user}>`);
  });
}
