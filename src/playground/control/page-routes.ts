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
