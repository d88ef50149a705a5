import type { State, View, Message } from "../workspace/state.ts";
import { directId, isOutsider, peopleOf } from "../workspace/workspace.ts";
import { installOf, type World } from "../world.ts";
import type {
  WireChannel,
  WireFaults,
  WireSnapshot,
  WireView,
  WireExchange,
  WireMessage,
  WireUpdate,
} from "../wire.ts";
import { randomBytes } from "node:crypto";
import type { Timer } from "../../platform/clock.ts";
import type { Exchange } from "../transcript.ts";
import { isObject, textOf } from "../json.ts";

function peopleIds(state: State): readonly string[] {
  return peopleOf(state).map((user) => user.id);
}

/** Direct conversations are listed even while they are empty. */
function directJson({ bot }: State, you: string, partner: string): WireChannel {
  const id = directId(you, partner);
  return {
    id,
    name: "directmessage",
    kind: "im",
    partner,
    members: [you, partner],
    hasBot: partner === bot.user,
    isArchived: false,
  };
}

function channelsOf(world: World, you: string): readonly WireChannel[] {
  const { state } = world;
  const joined = [...state.channels.values()].filter((channel) => channel.kind !== "im" && channel.members.has(you));
  const apps = state.users.has(state.bot.user) ? [state.bot.user] : [];
  const partners = [...apps, ...peopleIds(state).filter((id) => id !== you)];
  return [
    ...joined.map(({ id, name, kind, members, isArchived }) => {
      return { id, name, kind, members: [...members], hasBot: members.has(state.bot.user), isArchived };
    }),
    ...partners.map((partner) => directJson(state, you, partner)),
  ];
}

function viewJson(view: View | undefined): WireView | null {
  if (view === undefined) return null;
  const { user: _user, revision: _revision, ...shown } = view;
  return shown;
}

function faultsJson(world: World): WireFaults {
  const { app, links, faults, externalFaults, externalFaultsOn } = world;
  const plan = faults.planned()[0];
  const answers: WireFaults["answers"] = typeof plan?.fault === "string" ? plan.fault : "";
  const answersTo = plan?.kind ?? "all";
  const answersIn = plan?.channel ?? "";
  const extra = externalFaults.map(({ label }) => ({ label, on: externalFaultsOn.has(label) }));
  const { slowMs, retryAfterSeconds, deliverTwice, signsWrongly, signatureAgeSeconds } = faults;
  const { tokenError, missingScopes, refusesUploads } = faults;
  const deliveries = { deliverTwice, signsWrongly, signatureAgeSeconds };
  const installation = { tokenError, missingScopes, refusesUploads };
  const sockets = app.usesSocketMode === true ? { ...links.status(), open: links.names() } : null;
  const connections = { isNetworkCut: faults.network.isCut(), sockets };
  const planned = { answers, answersTo, answersIn };
  return { slowMs, retryAfterSeconds, ...deliveries, ...installation, ...connections, ...planned, extra };
}

function appJson({ app, state }: World): WireSnapshot["app"] {
  const hint = (command: string) => app.commandHints?.find((each) => each.command === command);
  return {
    name: app.name,
    user: state.bot.user,
    scopes: app.scopes,
    commands: app.commands.map((command) => ({
      command,
      description: hint(command)?.description ?? "",
      usageHint: hint(command)?.usageHint ?? "",
    })),
    shortcuts: (app.shortcuts ?? []).map((each) => ({ ...each, description: each.description ?? "" })),
  };
}

function installJson(world: World): WireSnapshot["install"] {
  const { oauth, installs } = world.slack;
  if (oauth === undefined) return null;
  const { enterprise } = world.state.team;
  const isOrgWide = enterprise !== undefined && installs.all.has(enterprise.id);
  return {
    isInstalled: installOf(world) !== undefined,
    url: oauth.installUrl(),
    org: isOrgWide ? enterprise.name : null,
  };
}

/** Everything one person may see of the workspace, except messages and exchanges. */
export function snapshotFor(world: World, you: string): WireSnapshot {
  const { state } = world;
  const worlds = world.slack.worlds();
  return {
    you,
    team: state.team.name,
    workspaces: worlds.map((each) => ({ name: each.state.team.name, as: peopleOf(each.state)[0]?.name ?? "" })),
    install: installJson(world),
    app: appJson(world),
    users: [...state.users.values()].map((user) => {
      const { teamId: _team, isTeamHidden: _isHidden, isSignedOut: _isOut, ...shown } = user;
      return { ...shown, isOutsider: isOutsider(state, user) };
    }),
    people: peopleIds(state),
    groups: [...state.groups.values()],
    channels: channelsOf(world, you),
    modal: viewJson(state.modals.get(you)),
    home: viewJson(state.homes.get(you)),
    reads: Object.fromEntries(
      [...state.reads].filter(([key]) => key.startsWith(`${you} `)).map(([key, ts]) => [key.slice(you.length + 1), ts]),
    ),
    faults: faultsJson(world),
  };
}

// https://html.spec.whatwg.org/multipage/server-sent-events.html

/** Event ids of another process are not valid here. */
const instance = randomBytes(4).toString("hex");

/** Changes within this time are sent together. */
const gatherMs = 15;

/** Keeps proxies and browsers from closing a quiet stream. */
const heartbeatMs = 20_000;

/** The first event carries this many of the newest exchanges. */
const firstExchanges = 300;

/**
 * The workspace as one person sees it, as server-sent events, each a WireUpdate. After a lost connection a browser
 * resumes where it was; a reload gets everything except ephemeral messages.
 */
export function updateStream(world: World, user: string, request: Request): Response {
  const ended = new AbortController();
  const encoder = new TextEncoder();
  const since = sinceOf(request.headers.get("last-event-id"));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (!ended.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      writeUpdates(world, user, { sink: { write, signal: ended.signal }, since });
    },
    cancel: () => ended.abort(),
  });
  request.signal.addEventListener("abort", () => ended.abort());
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
  return new Response(body, { headers });
}

type Since = { readonly revision: number; readonly sinceTs: string };

/** The position at which a stream was interrupted; undefined for a fresh page, and after a restart. */
function sinceOf(lastEventId: string | null): Since | undefined {
  const [from, revision, sinceTs] = (lastEventId ?? "").split("/");
  return from === instance && revision !== undefined
    ? { revision: Number(revision), sinceTs: sinceTs ?? "" }
    : undefined;
}

type Sink = { readonly write: (text: string) => void; readonly signal: AbortSignal };

/** Writes the workspace as one person sees it, then every change, until the signal aborts. */
function writeUpdates(
  world: World,
  user: string,
  { sink, since }: { readonly sink: Sink; readonly since: Since | undefined },
) {
  const sinceTs = since?.sinceTs ?? world.state.messages.at(-1)?.ts ?? "";
  const maker = createUpdates(world, { user, sinceTs }, since);
  const { clock } = world;
  let gathering: Timer | undefined;
  const send = (): void => {
    gathering = undefined;
    const update = maker.next();
    const { isWhole, snapshot, messages, gone, exchanges } = update;
    const isEmpty = snapshot === undefined && messages.length + gone.length + exchanges.length === 0;
    if (isWhole || !isEmpty) sink.write(`id: ${maker.id()}\ndata: ${JSON.stringify(update)}\n\n`);
  };
  const soon = (): void => void (gathering ??= clock.after(gatherMs, send));
  const noted = (exchange: Exchange): void => {
    maker.note(exchange);
    soon();
  };
  const beat = (): void => {
    sink.write(": still here\n\n");
    heartbeat = clock.after(heartbeatMs, beat);
  };
  let heartbeat = clock.after(heartbeatMs, beat);
  world.watchers.add(soon);
  world.transcript.watchers.add(noted);
  sink.signal.addEventListener("abort", () => {
    world.watchers.delete(soon);
    world.transcript.watchers.delete(noted);
    heartbeat.cancel();
    gathering?.cancel();
  });
  sink.write("retry: 1000\n\n");
  send();
}

/** The viewer, and when they loaded the page. As in Slack, a reload forgets ephemeral messages up to `sinceTs`. */
type Viewer = { readonly user: string; readonly sinceTs: string };

/** Creates updates for one person, each with the changes since the last. */
function createUpdates(world: World, viewer: Viewer, since: Since | undefined) {
  const exchanges = new Map<number, Exchange>();
  let revision = since?.revision ?? -1;
  let isWhole = since === undefined;
  let lastSnapshot = "";
  const snapshot = (): Pick<WireUpdate, "snapshot"> => {
    const now = snapshotFor(world, viewer.user);
    const text = JSON.stringify(now);
    if (text === lastSnapshot) return {};
    lastSnapshot = text;
    return { snapshot: now };
  };
  for (const exchange of world.transcript.exchanges.slice(-firstExchanges)) exchanges.set(exchange.id, exchange);
  return {
    note: (exchange: Exchange) => void exchanges.set(exchange.id, exchange),
    id: () => `${instance}/${revision}/${viewer.sinceTs}`,
    next(): WireUpdate {
      const update: WireUpdate = {
        isWhole,
        ...snapshot(),
        ...messageUpdates(world.state, viewer, revision),
        exchanges: [...exchanges.values()].map(exchangeJson),
      };
      exchanges.clear();
      ({ revision } = world.state);
      isWhole = false;
      return update;
    },
  };
}

/** Messages that appeared, changed or went for a person after a revision. */
function messageUpdates(state: State, viewer: Viewer, revision: number): Pick<WireUpdate, "messages" | "gone"> {
  const isMember = (channel: string): boolean => state.channels.get(channel)?.members.has(viewer.user) === true;
  const isNews = (each: { readonly revision: number; readonly channel: string }): boolean =>
    each.revision > revision && isMember(each.channel);
  return {
    messages: state.messages.filter((each) => isNews(each) && isFor(viewer, each)).map(messageJson),
    gone: state.deletions
      .filter((each) => isNews(each) && isFor(viewer, each))
      .map(({ channel, ts }) => ({ channel, ts })),
  };
}

function isFor(
  viewer: Viewer,
  { ephemeralTo, ts }: { readonly ephemeralTo?: string | undefined; readonly ts: string },
) {
  return ephemeralTo === undefined || (ephemeralTo === viewer.user && ts > viewer.sinceTs);
}

function messageJson(message: Message): WireMessage {
  const { ts, channel, user, text, blocks } = message;
  return {
    ts,
    channel,
    user,
    text,
    blocks,
    files: message.files.map(({ id, name, title, bytes }) => ({ id, name, title, size: bytes.byteLength })),
    ...(message.threadTs === undefined ? {} : { threadTs: message.threadTs }),
    ...(message.isBroadcast === true && { isBroadcast: true }),
    isEphemeral: message.ephemeralTo !== undefined,
    isEdited: message.editedTs !== undefined,
  };
}

/** An exchange as a line of the network log. */
function exchangeJson(exchange: Exchange): WireExchange {
  const { id, direction, kind, atMs, status, ms, refusal, envelope } = exchange;
  const connection = textOf(envelope?.["connection"]) || null;
  const line = { id, direction, kind, atMs, connection, outcome: outcomeOf(exchange) };
  return { ...line, status: status ?? null, ms: ms ?? null, refusal: refusal ?? null };
}

function outcomeOf({ answer, status, error, ms }: Exchange): string {
  if (isObject(answer) && answer["ok"] === false) return textOf(answer["error"]);
  if (ms === undefined) return "";
  // An ack over Socket Mode has no status.
  if (status === undefined) return error ?? "ok";
  // 101 is a WebSocket that was opened.
  return status === 101 || (status >= 200 && status < 300) ? "ok" : `HTTP ${status}`;
}
