import { type Context, Hono } from "hono";
import { z } from "zod";
import { isObject, type JsonObject, textOf } from "../json.ts";
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

/** The sentence for a person: a wrong shape, a deleted message, a channel they are not in. */
export function sentence(error: unknown): string {
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

/** A field that the bot has removed from the view in the meantime is skipped. */
function fill(world: World, actor: Actor, values: z.infer<typeof Values>): void {
  if (actor.surface.in !== "view") return;
  for (const [blockId, actions] of Object.entries(values)) {
    for (const [actionId, value] of Object.entries(actions)) {
      const found = elementAt(actor.surface, { blockId, actionId });
      if (found !== undefined) remember(world, actor, { found, value: checkedValue(found, value) });
    }
  }
}

function viewAt(world: World, user: User, id: string): View {
  const surface = surfaceAt(world, user, { in: "view", id });
  if (surface.in !== "view") throw new Error("This isn't a form.");
  return surface.view;
}

type UsedElement = z.infer<z.ZodObject<typeof Element>>;

/** The element that a person uses. Throws if the bot has replaced it. */
function used(world: World, user: User, asked: UsedElement): { readonly actor: Actor; readonly found: Found } {
  const actor = { user, surface: surfaceAt(world, user, asked.at) };
  const found = elementAt(actor.surface, asked);
  if (found === undefined) throw new Error("This button or field no longer exists: the message has changed.");
  return { actor, found };
}

type PersonAction = (world: World, body: unknown) => Promise<JsonObject>;

/** Its result is a delivery, with more fields for the page. */
function action<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (world: World, user: User, asked: z.infer<z.ZodObject<Shape>>) => Promise<Delivery & { more?: JsonObject }>,
): PersonAction {
  const [Acting, schema] = [z.object({ as: z.string() }), z.object(shape)];
  return async (world, body) => {
    const done = await run(world, actorOf(world, Acting.parse(body).as), schema.parse(body));
    return { ...deliveryJson(done), ...done.more };
  };
}

const text = z.string().min(1);
const Message = { channel: z.string(), ts: z.string() };
const Values = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.json()))).default({});
const Element = {
  at: z.discriminatedUnion("in", [
    z.object({ in: z.literal("message"), ...Message }),
    z.object({ in: z.literal("view"), id: z.string() }),
  ]),
  blockId: z.string(),
  actionId: z.string(),
};
const Mark = z.object({ as: z.string(), conversation: z.string(), ts: z.string() });

/** Everything a person can do from the page, by ids. Each rejects with a sentence for the page. */
const personActions: Readonly<Record<string, PersonAction>> = {
  say: action(
    { channel: z.string(), text, thread: z.string().optional() },
    async (world, user, { channel, text, thread }) =>
      sayText(world, { user, channel: channelAt(world, user, channel), thread }, text),
  ),
  edit: action({ ...Message, text }, async (world, user, { channel, ts, text }) =>
    editMessage(world, { user, channel: channelAt(world, user, channel), ts }, text),
  ),
  delete: action(Message, async (world, user, { channel, ts }) =>
    deleteMessage(world, { user, channel: channelAt(world, user, channel), ts }),
  ),
  /** `values`: the values of the fields of the view around the element. */
  act: action({ ...Element, value: z.record(z.string(), z.json()), values: Values }, async (world, user, asked) => {
    fill(world, { user, surface: surfaceAt(world, user, asked.at) }, asked.values);
    const { actor, found } = used(world, user, asked);
    const value = checkedValue(found, asked.value);
    if (value["type"] !== undefined) remember(world, actor, { found, value });
    if (isSilent(found)) return { kind: "input", acked: true, status: undefined, ms: 0 };
    return act(world, actor, { found, value });
  }),
  suggest: action({ ...Element, query: z.string() }, async (world, user, asked) => {
    const { actor, found } = used(world, user, asked);
    const { delivery, answer } = await suggestions(world, actor, { found, query: asked.query });
    return { ...delivery, more: { options: answer["option_groups"] ?? answer["options"] ?? [] } };
  }),
  submit: action({ view: z.string(), values: Values }, async (world, user, asked) => {
    const view = viewAt(world, user, asked.view);
    fill(world, { user, surface: { in: "view", view } }, asked.values);
    const delivery = await submitView(world, user, view);
    return { ...delivery, more: { errors: Object.keys(view.errors).length } };
  }),
  close: action({ view: z.string() }, async (world, user, { view }) => closeView(world, viewAt(world, user, view))),
  shortcut: action(
    { callbackId: z.string(), message: z.object(Message).optional() },
    async (world, user, { callbackId, message }) => {
      if (message === undefined) return useGlobalShortcut(world, user, callbackId);
      const surface = surfaceAt(world, user, { in: "message", ...message });
      if (surface.in !== "message") throw new Error("This isn't a message.");
      return useMessageShortcut(world, { user, ...surface }, callbackId);
    },
  ),
  home: action({ tab: z.enum(["home", "messages"]) }, async (world, user, { tab }) => openHome(world, user, tab)),
  /** Marks a channel, or "channel/thread", as read up to a message. Never moves back. */
  async read(world, body) {
    const { as, conversation, ts } = Mark.parse(body);
    const key = `${personNamed(world.state, as).id} ${conversation}`;
    if (ts > (world.state.reads.get(key) ?? "")) {
      world.state.reads.set(key, ts);
      touch(world);
    }
    return {};
  },
};
