import { setTimeout as sleep } from "node:timers/promises";
import { createCards } from "../slack/cards/cards.ts";
import { createIdentity, type Identity } from "../slack/directory/identity.ts";
import { createPace } from "../slack/directory/pace.ts";
import { createPeople } from "../slack/directory/people.ts";
import { createBackOff } from "../slack/send/back-off.ts";
import { logFailure } from "../slack/send/call.ts";
import { createClients } from "../slack/send/clients.ts";
import { createMessenger, type Messenger } from "../slack/send/messenger.ts";
import { createResponder } from "../slack/send/responder.ts";
import { classify } from "../slack/send/slack-error.ts";
import type { Cards, Clock, People, Responder } from "../workflow/ports.ts";
import type { BotParts } from "./bot.ts";

/** Everything that speaks to Slack. */
export type SlackParts = {
  readonly messenger: Messenger;
  readonly people: People;
  readonly responder: Responder;
  readonly cards: Cards;
  readonly identity: Identity;
  /** Why Slack refuses the bot token; undefined while it doesn't. */
  readonly tokenRefusal: () => string | undefined;
};

type Made = Pick<Responder, "formReply" | "refreshHome"> & {
  readonly clock: Clock;
  readonly newReference: () => string;
};

export function connectSlack(
  parts: Pick<BotParts, "slack" | "log" | "store" | "settings" | "sealer" | "backOff">,
  { clock, newReference, formReply, refreshHome }: Made,
): SlackParts {
  const { log, store, settings, sealer, backOff: wait = (ms: number) => sleep(ms) } = parts;
  const nowMs = (): number => clock.now().getTime();
  const clients = createClients(parts.slack, log);
  const { interactive: client, tokenRefusal } = clients;
  const identity = createIdentity({ client, tokenRefusal, log, now: clock.now });
  const messenger = createMessenger({
    clients,
    backOff: createBackOff(nowMs),
    wait,
    replies: { fetch: (url: string, init: RequestInit) => fetch(url, init), wait },
    log,
    newReference,
    command: settings.command,
  });
  const people = createPeople({
    client,
    teamId: () => teamOf(identity),
    nowMs,
    pace: createPace({ nowMs, wait, backOff: createBackOff(nowMs) }),
    bot: identity.bot,
    failed(lookup, cause) {
      const reference = newReference();
      logFailure(log, { ...lookup, ...classify(cause), reference });
      return reference;
    },
  });
  const responder = createResponder({ messenger, people, log, formReply, refreshHome });
  const cards = createCards({ messenger, responder, people, store, sealer, settings, clock, log });
  return { messenger, people, responder, cards, identity, tokenRefusal };
}

async function teamOf(identity: Identity): Promise<string | undefined> {
  await identity.isKnown();
  return identity.bot().teamId;
}
