import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Delivery } from "../delivery/deliver.ts";
import { createPerson, type Person } from "../people/person.ts";
import { assetRoutes } from "../page-server/asset-routes.ts";
import { webApi } from "../web-api/web-api.ts";
import type { World } from "../world.ts";
import { foreignCaller } from "./host-guard.ts";
import { pageRoutes } from "./page-routes.ts";
import { stateJson } from "./state-json.ts";
import { drawChanges, waitForChanges } from "./wait-for-changes.ts";

const Patience = {
  quietMs: z.number().min(0).max(60_000).default(800),
  deadlineMs: z.number().min(0).max(120_000).default(20_000),
};

const Say = z.object({
  as: z.string().default("dana"),
  channel: z.string().default("ops"),
  text: z.string().min(1),
  thread: z.string().optional(),
  ...Patience,
});
const Click = z.object({
  as: z.string().default("dana"),
  channel: z.string().default("ops"),
  label: z.string().min(1),
  ...Patience,
});
type Asked = z.infer<typeof Click> | z.infer<typeof Say>;

/** "last" is the newest thread, or the newest message if there is no thread. */
function threadOf(person: Person, channel: string, thread: string | undefined): string | undefined {
  if (thread !== "last") return thread;
  const seen = person.sees(channel).filter((each) => !each.isEphemeral);
  return seen.findLast((each) => each.threadTs !== undefined)?.threadTs ?? seen.at(-1)?.ts;
}

async function runAndDraw(world: World, asked: Asked, act: (person: Person) => Promise<Delivery>): Promise<object> {
  const person = createPerson(world, asked.as);
  const at = { person, channel: asked.channel };
  const before = world.state.revision;
  const ack = await act(person);
  // The person's own message is not news.
  const own = ack.ts;
  const isNew = (): boolean =>
    drawChanges(world, at, before) !== "" &&
    (own === undefined || person.sees(asked.channel).some((seen) => seen.revision > before && seen.ts !== own));
  await waitForChanges(world, isNew, asked);
  return { ack: { ...ack, answer: undefined }, text: drawChanges(world, at, before) };
}

async function controlled<T extends Asked>(
  context: Context,
  schema: z.ZodType<T>,
  act: (asked: T) => Promise<object>,
): Promise<Response> {
  const parsed = schema.safeParse(await context.req.json().catch(() => undefined));
  if (!parsed.success) return context.json({ error: z.prettifyError(parsed.error) }, 400);
  try {
    return context.json(await act(parsed.data));
  } catch (error) {
    // An unknown person, channel or button: the sentence is for the person who typed it.
    return context.json({ error: error instanceof Error ? error.message : String(error) }, 400);
  }
}

function serveFile(world: World, id: string): Response {
  const file = world.state.files.get(id);
  if (file === undefined) return new Response("There is no such file.", { status: 404 });
  // Uploaded files are served as data, never as a page of this origin.
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    "x-content-type-options": "nosniff",
  };
  return new Response(Buffer.from(file.bytes), { headers });
}

// The bot's requests carry a token or a secret address, so they may come from anywhere.
const forBot = /^\/(?:api|response|upload)\//;

function guarded(routes: Hono, world: World, hosts: readonly string[]): void {
  const guard = async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const problem = forBot.test(context.req.path) ? undefined : foreignCaller(world, context.req.raw, hosts);
    if (problem !== undefined) return context.json({ error: problem }, 403);
    await next();
    return undefined;
  };
  routes.use("*", guard);
}

/** All HTTP routes of the playground: Slack's API for the bot, and the control routes for people. */
export function controlRoutes(world: World, hosts: readonly string[]): Hono {
  const routes = new Hono();
  guarded(routes, world, hosts);
  routes.all("/api/:method", (context) => webApi.method(world, context.req.param("method"), context.req.raw));
  routes.post("/response/:id", (context) => webApi.response(world, context.req.param("id"), context.req.raw));
  routes.post("/upload/:id", (context) => webApi.upload(world, context.req.param("id"), context.req.raw));
  routes.get("/files/:id", (context) => serveFile(world, context.req.param("id")));
  routes.get("/playground/state", (context) => context.json(stateJson(world)));
  routes.post("/playground/say", (context) =>
    controlled(context, Say, (asked) =>
      runAndDraw(world, asked, (person) => {
        const thread = threadOf(person, asked.channel, asked.thread);
        return person.says(asked.text, { channel: asked.channel, ...(thread === undefined ? {} : { thread }) });
      }),
    ),
  );
  routes.post("/playground/click", (context) =>
    controlled(context, Click, (asked) =>
      runAndDraw(world, asked, (person) => person.clicks(asked.label, { channel: asked.channel })),
    ),
  );
  routes.route("/playground", pageRoutes(world));
  routes.route("/", assetRoutes());
  return routes;
}
