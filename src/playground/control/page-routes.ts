import { type Context, Hono } from "hono";
import { z } from "zod";
import { isObject, type JsonObject, textOf } from "../json.ts";
import { updateStream } from "./update-stream.ts";
import type { WireExchangeBodies } from "../wire.ts";
import { findUser, personNamed } from "../workspace/workspace.ts";
import type { World } from "../world.ts";
import { changeInstall, changeWorkspace } from "./workspace-changes.ts";
import { personActions } from "./person-actions.ts";
import { switchFaults } from "./fault-switches.ts";

/** The sentence shown on the page: a wrong shape, a deleted message, a channel they are not in. */
function sentence(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

async function done(context: Context, work: (body: unknown) => Promise<JsonObject>): Promise<Response> {
  try {
    return context.json(await work(await context.req.json()));
  } catch (error) {
    return context.json({ error: sentence(error) }, 400);
  }
}

function exchangeBodies(world: World, id: number): WireExchangeBodies | undefined {
  const exchange = world.transcript.exchanges.find((each) => each.id === id);
  if (exchange === undefined) return undefined;
  const { request, envelope = null, answer = null } = exchange;
  return { request, envelope, answer };
}

/** What the page does without the person. */
const automatic: ReadonlySet<string> = new Set(["read", "home"]);

/** A form that the bot opens next belongs to the window in which the person acted last. */
function noteSession(world: World, body: unknown, session: string | undefined): void {
  const name = isObject(body) ? textOf(body["as"]) : "";
  const user = findUser(world.state, name);
  if (user !== undefined) world.state.sessions.set(user.id, session ?? "");
}

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
    const bodies = exchangeBodies(world, Number(context.req.param("id")));
    const error = "This request is too old. Only the newest 5,000 are kept.";
    return bodies === undefined ? context.json({ error }, 404) : context.json(bodies);
  });
  routes.post("/do/faults", (context) => done(context, (body) => switchFaults(world, body)));
  routes.post("/do/people", (context) => done(context, (body) => changeWorkspace(world, body)));
  routes.post("/do/installs", (context) => done(context, (body) => changeInstall(world, body)));
  for (const [name, action] of Object.entries(personActions)) {
    routes.post(`/do/${name}`, (context) =>
      done(context, (body) => {
        if (!automatic.has(name)) noteSession(world, body, context.req.header("x-session"));
        return action(world, body);
      }),
    );
  }
  return routes;
}
