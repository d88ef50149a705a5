import { setTimeout as sleep } from "node:timers/promises";
import { directNetwork } from "../../../platform/http/network.ts";
import { createCards } from "../../slack/cards/cards.ts";
import { createIdentity, type Identity } from "../../slack/directory/identity.ts";
import { createPace } from "../../slack/directory/pace.ts";
import { createPeople } from "../../slack/directory/people.ts";
import { createBackOff } from "../../slack/send/back-off.ts";
import { logFailure } from "../../slack/send/call.ts";
import { createClients, type SlackAccess } from "../../slack/send/clients.ts";
import { createMessenger, type Messenger } from "../../slack/send/messenger.ts";
import { createResponder } from "../../slack/send/responder.ts";
import { classify } from "../../slack/send/slack-error.ts";
import type { Cards, Clock, People, Responder } from "../../workflow/ports.ts";
import type { BotParts } from "../bot.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

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
  readonly access: SlackAccess;
  /** Who the bot is there, when that is known without asking Slack. */
  readonly installed: { readonly teamId: string; readonly userId: string } | undefined;
  readonly store: WorkspaceStore;
  readonly clock: Clock;
  readonly newReference: () => string;
};

export function connectSlack(
  parts: Pick<BotParts, "log" | "settings" | "sealer" | "backOff">,
  { access, installed, store, clock, newReference, formReply, refreshHome }: Made,
): SlackParts {
  const { log, settings, sealer, backOff: wait = (ms: number) => sleep(ms) } = parts;
  const nowMs = (): number => clock.now().getTime();
  const { network = directNetwork } = access;
  const clients = createClients(access, log);
  const { interactive: client, tokenRefusal } = clients;
  const identity = createIdentity({ client, tokenRefusal, installed, log, now: clock.now });
  const messenger = createMessenger({
    clients,
    backOff: createBackOff(nowMs),
    wait,
    replies: { post: network.post, wait },
    log,
    newReference,
    command: settings.command,
  });
  const people = createPeople({
    client,
    teamId: () => teamOf(identity),
    nowMs,
    wait,
    store,
    log,
    pace: createPace({ wait, backOff: createBackOff(nowMs) }),
    bot: identity.bot,
    failed(lookup, cause) {
      const reference = newReference();
      logFailure(log, { ...lookup, ...classify(cause), reference });
      return reference;
    },
  });
  const responder = createResponder({ messenger, people, clock, log, formReply, refreshHome });
  const cards = createCards({ messenger, people, store, sealer, settings, clock, log });
  return { messenger, people, responder, cards, identity, tokenRefusal };
}

async function teamOf(identity: Identity): Promise<string | undefined> {
  await identity.isKnown();
  return identity.bot().teamId;
}
