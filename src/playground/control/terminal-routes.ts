import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Delivery } from "../delivery/deliver.ts";
import { createPerson, type Person } from "../people/person.ts";
import type { World } from "../world.ts";
import { drawChanges, waitForChanges } from "./wait-for-changes.ts";

// The routes of `npm run say`: a person acts, and everything that this changes for them comes back as text.

const Common = {
  as: z.string().default("dana"),
  channel: z.string().default("ops"),
  quietMs: z.number().min(0).max(60_000).default(800),
  deadlineMs: z.number().min(0).max(120_000).default(20_000),
};

const Say = z.object({ ...Common, text: z.string().min(1), thread: z.string().optional() });
const Click = z.object({ ...Common, label: z.string().min(1) });
const Fill = z.object({ ...Common, label: z.string().min(1), value: z.string() });
type Asked = z.infer<typeof Click> | z.infer<typeof Fill> | z.infer<typeof Say>;

/** "last" is the newest thread, or the newest message if there is no thread. */
function threadOf(person: Person, channel: string, thread: string | undefined): string | undefined {
  if (thread !== "last") return thread;
  const seen = person.sees(channel).filter((each) => !each.isEphemeral);
  return seen.findLast((each) => each.threadTs !== undefined)?.threadTs ?? seen.at(-1)?.ts;
}

/** The session of everything typed in a terminal: a form opened there doesn't cover anybody's page. */
const session = "terminal";

async function runAndDraw(world: World, asked: Asked, act: (person: Person) => Promise<Delivery>): Promise<object> {
  const person = createPerson(world, asked.as);
  const at = { person, channel: asked.channel };
  const before = world.state.revision;
  world.state.sessions.set(person.id, session);
  const ack = await act(person);
  // The person's own message is not news.
  const own = ack.ts;
  const isClosed = ack.kind === "view_closed";
  const isNew = (): boolean =>
    isClosed ||
    (drawChanges(world, at, before) !== "" &&
      (own === undefined || person.sees(asked.channel).some((seen) => seen.revision > before && seen.ts !== own)));
  await waitForChanges(world, isNew, asked);
  const text = drawChanges(world, at, before);
  return { ack: { ...ack, answer: undefined }, text: isClosed && text === "" ? "(the form is closed)" : text };
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

export function terminalRoutes(world: World): Hono {
  const routes = new Hono();
  routes.post("/say", (context) =>
    controlled(context, Say, (asked) =>
      runAndDraw(world, asked, (person) => {
        const thread = threadOf(person, asked.channel, asked.thread);
        return person.says(asked.text, { channel: asked.channel, ...(thread === undefined ? {} : { thread }) });
      }),
    ),
  );
  routes.post("/click", (context) =>
    controlled(context, Click, (asked) =>
      runAndDraw(world, asked, (person) => person.clicks(asked.label, { channel: asked.channel })),
    ),
  );
  routes.post("/fill", (context) =>
    controlled(context, Fill, (asked) =>
      runAndDraw(world, asked, (person) => person.fills(asked.label, asked.value, { channel: asked.channel })),
    ),
  );
  return routes;
}
