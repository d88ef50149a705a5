import { type Context, Hono } from "hono";
import { z } from "zod";
import { isObject, type Json, type JsonObject, textOf } from "../json.ts";
import { updateStream } from "./update-stream.ts";
import type { WireExchangeBodies } from "../wire.ts";
import { checkSignedIn, findUser, personNamed } from "../workspace/workspace.ts";
import { touch, type World } from "../world.ts";
import { changeInstall, changeWorkspace, switchFaults } from "./admin-actions.ts";
import type { Delivery } from "../delivery/deliver.ts";
import {
  act,
  type Actor,
  isSilent,
  remember,
  suggestions,
  useGlobalShortcut,
  useMessageShortcut,
} from "../people/interactions.ts";
import { deleteMessage, editMessage, sayText } from "../people/messages.ts";
import { channelAt, checkedValue, elementAt, type Found, surfaceAt } from "../people/surfaces.ts";
import { closeView, openHome, submitView } from "../people/views.ts";
import type { User, View } from "../workspace/state.ts";

/** The sentence shown on the page: a wrong shape, a deleted message, a channel they are not in. */
function sentence(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

async function answerWith(context: Context, work: (body: unknown) => Promise<JsonObject>): Promise<Response> {
  try {
    return context.json(await work(await context.req.json()));
  } catch (error) {
    return context.json({ error: sentence(error) }, 400);
  }
}

/** What the page does without the person. */
const withoutPerson: ReadonlySet<string> = new Set(["read", "home"]);

/** The routes of the page, under /playground. */
export function pageRoutes(world: World): Hono {
  const routes = new Hono();
  routes.get("/events", (context) => {
    try {
      return updateStream(world, personNamed(world.state, context.req.query("as") ?? "dana").id, context.req.raw);
    } catch (error) {
      return context.json({ error: sentence(error) }, 404);
    }
  });
  routes.get("/exchanges/:id", (context) => {
    const id = Number(context.req.param("id"));
    const exchange = world.transcript.exchanges.find((each) => each.id === id);
    if (exchange === undefined) {
      return context.json({ error: "This request is too old. Only the newest 5,000 are kept." }, 404);
    }
    const { request, envelope = null, answer = null } = exchange;
    return context.json({ request, envelope, answer } satisfies WireExchangeBodies);
  });
  routes.post("/do/faults", (context) => answerWith(context, (body) => switchFaults(world, body)));
  routes.post("/do/people", (context) => answerWith(context, (body) => changeWorkspace(world, body)));
  routes.post("/do/installs", (context) => answerWith(context, (body) => changeInstall(world, body)));
  for (const [name, action] of Object.entries(personActions)) {
    routes.post(`/do/${name}`, (context) =>
      answerWith(context, (body) => {
        // A form that the bot opens next belongs to the window in which the person acted last.
        const actor = findUser(world.state, isObject(body) ? textOf(body["as"]) : "");
        if (!withoutPerson.has(name) && actor !== undefined) {
          world.state.sessions.set(actor.id, context.req.header("x-session") ?? "");
        }
        return action(world, body);
      }),
    );
  }
  return routes;
}

const JsonFields = z.record(z.string(), z.json());
const Pointer = z.discriminatedUnion("in", [
  z.object({ in: z.literal("message"), channel: z.string(), ts: z.string() }),
  z.object({ in: z.literal("view"), id: z.string() }),
]);
const Element = { as: z.string(), at: Pointer, blockId: z.string(), actionId: z.string() };
const Values = z.record(z.string(), z.record(z.string(), JsonFields)).default({});

const shapes = {
  say: z.object({ as: z.string(), channel: z.string(), text: z.string().min(1), thread: z.string().optional() }),
  edit: z.object({ as: z.string(), channel: z.string(), ts: z.string(), text: z.string().min(1) }),
  delete: z.object({ as: z.string(), channel: z.string(), ts: z.string() }),
  /** `values`: the values of the fields of the view around the element. */
  act: z.object({ ...Element, value: JsonFields, values: Values }),
  suggest: z.object({ ...Element, query: z.string() }),
  submit: z.object({ as: z.string(), view: z.string(), values: Values }),
  close: z.object({ as: z.string(), view: z.string() }),
  shortcut: z.object({
    as: z.string(),
    callbackId: z.string(),
    message: z.object({ channel: z.string(), ts: z.string() }).optional(),
  }),
  home: z.object({ as: z.string(), tab: z.enum(["home", "messages"]) }),
  read: z.object({ as: z.string(), conversation: z.string(), ts: z.string() }),
} as const;

/** The acting person; throws when the name is unknown or Slack has signed them out. */
function actorOf(world: World, name: string): User {
  const user = personNamed(world.state, name);
  checkSignedIn(user);
  return user;
}

/** A delivery as the page shows it; the network log has the rest. */
function deliveryJson({ kind, acked, status, ms, error, refusal }: Delivery): JsonObject {
  return { kind, acked, status: status ?? null, ms, error: error ?? null, refusal: refusal?.sentence ?? null };
}

function fill(world: World, actor: Actor, values: z.infer<typeof Values>): void {
  if (actor.surface.in !== "view") return;
  for (const [blockId, actions] of Object.entries(values)) {
    for (const [actionId, value] of Object.entries(actions)) {
      const found = foundOrGone(actor, { blockId, actionId });
      if (found !== undefined) remember(world, actor, { found, value: checkedValue(found, value) });
    }
  }
}

/** A field that the bot has removed from the view in the meantime is skipped. */
function foundOrGone(actor: Actor, ids: { readonly blockId: string; readonly actionId: string }): Found | undefined {
  try {
    return elementAt(actor.surface, ids);
  } catch {
    return undefined;
  }
}

function viewAt(world: World, user: User, id: string): View {
  const surface = surfaceAt(world, user, { in: "view", id });
  if (surface.in !== "view") throw new Error("This isn't a form.");
  return surface.view;
}

type Fields<Name extends keyof typeof shapes> = z.infer<(typeof shapes)[Name]>;

async function say(world: World, { as, channel, text, thread }: Fields<"say">): Promise<JsonObject> {
  const user = actorOf(world, as);
  return deliveryJson(await sayText(world, { user, channel: channelAt(world, user, channel), thread }, text));
}

async function edit(world: World, { as, channel, ts, text }: Fields<"edit">): Promise<JsonObject> {
  const user = actorOf(world, as);
  return deliveryJson(await editMessage(world, { user, channel: channelAt(world, user, channel), ts }, text));
}

async function useElement(world: World, asked: Fields<"act">): Promise<JsonObject> {
  const user = actorOf(world, asked.as);
  const actor = { user, surface: surfaceAt(world, user, asked.at) };
  fill(world, actor, asked.values);
  const found = elementAt(actor.surface, asked);
  const value = checkedValue(found, asked.value);
  if (value["type"] !== undefined) remember(world, actor, { found, value });
  if (isSilent(found)) return deliveryJson({ kind: "input", acked: true, status: undefined, ms: 0 });
  return deliveryJson(await act(world, actor, { found, value }));
}

async function suggest(world: World, asked: Fields<"suggest">): Promise<JsonObject> {
  const user = actorOf(world, asked.as);
  const actor = { user, surface: surfaceAt(world, user, asked.at) };
  const found = elementAt(actor.surface, asked);
  const { delivery, answer } = await suggestions(world, actor, { found, query: asked.query });
  const offered: Json = answer["option_groups"] ?? answer["options"] ?? [];
  return { ...deliveryJson(delivery), options: offered };
}

async function submit(world: World, { as, view: id, values }: Fields<"submit">): Promise<JsonObject> {
  const user = actorOf(world, as);
  const view = viewAt(world, user, id);
  fill(world, { user, surface: { in: "view", view } }, values);
  const delivery = await submitView(world, user, view);
  return { ...deliveryJson(delivery), errors: Object.keys(view.errors).length };
}

async function close(world: World, { as, view }: Fields<"close">): Promise<JsonObject> {
  return deliveryJson(closeView(world, viewAt(world, actorOf(world, as), view)));
}

async function shortcut(world: World, { as, callbackId, message }: Fields<"shortcut">): Promise<JsonObject> {
  const user = actorOf(world, as);
  if (message === undefined) return deliveryJson(await useGlobalShortcut(world, user, callbackId));
  const surface = surfaceAt(world, user, { in: "message", ...message });
  if (surface.in !== "message") throw new Error("This isn't a message.");
  return deliveryJson(await useMessageShortcut(world, { user, ...surface }, callbackId));
}

async function home(world: World, { as, tab }: Fields<"home">): Promise<JsonObject> {
  return deliveryJson(await openHome(world, actorOf(world, as), tab));
}

/** Marks a channel, or "channel/thread", as read up to a message. Never moves back. */
async function read(world: World, { as, conversation, ts }: Fields<"read">): Promise<JsonObject> {
  const key = `${personNamed(world.state, as).id} ${conversation}`;
  if (ts > (world.state.reads.get(key) ?? "")) {
    world.state.reads.set(key, ts);
    touch(world);
  }
  return {};
}

type PersonAction = (world: World, body: unknown) => Promise<JsonObject>;

function action<Name extends keyof typeof shapes>(
  name: Name,
  run: (world: World, asked: Fields<Name>) => Promise<JsonObject>,
): PersonAction {
  // Async, so that a wrong shape rejects like any other error.
  return async (world, body) => run(world, shapes[name].parse(body) as Fields<Name>); // parse gives what this shape infers
}

/** Everything a person can do from the page, by ids. Each rejects with a sentence for the page. */
const personActions: Readonly<Record<string, PersonAction>> = {
  say: action("say", say),
  edit: action("edit", edit),
  delete: action("delete", async (world, { as, channel, ts }) => {
    const user = actorOf(world, as);
    return deliveryJson(await deleteMessage(world, { user, channel: channelAt(world, user, channel), ts }));
  }),
  act: action("act", useElement),
  suggest: action("suggest", suggest),
  submit: action("submit", submit),
  close: action("close", close),
  shortcut: action("shortcut", shortcut),
  home: action("home", home),
  read: action("read", read),
};
