import { Hono } from "hono";
import { z } from "zod";
import type { Timer } from "../../platform/clock.ts";
import type { Delivery } from "../delivery/deliver.ts";
import { createPerson, type Person } from "../people/person.ts";
import type { World } from "../world.ts";
import { drawView, newPen } from "../draw/draw.ts";
import { closeLabel, exampleField, submitLabel } from "../people/views.ts";
import type { View } from "../workspace/state.ts";
import type { Seen } from "../people/surfaces.ts";
import { sentence } from "./page-routes.ts";

// The routes of `npm run say`: a person acts, and everything that this changes for them comes back as text.

const Common = {
  as: z.string().default("dana"),
  channel: z.string().default("ops"),
  quietMs: z.number().min(0).max(60_000).default(800),
  deadlineMs: z.number().min(0).max(120_000).default(20_000),
};

type Asked = z.infer<z.ZodObject<typeof Common>>;

export function terminalRoutes(world: World): Hono {
  const routes = new Hono();
  const route = <Shape extends z.ZodRawShape>(
    path: string,
    shape: Shape,
    act: (person: Person, asked: Asked & z.infer<z.ZodObject<Shape>>) => Promise<Delivery>,
  ): void => {
    const [common, more] = [z.object(Common), z.object(shape)];
    routes.post(path, async (context) => {
      try {
        const body: unknown = await context.req.json().catch(() => undefined);
        const asked = { ...common.parse(body), ...more.parse(body) };
        return context.json(await runAndDraw(world, asked, (person) => act(person, asked)));
      } catch (error) {
        // A wrong shape, an unknown person, channel or button: the sentence is for the person who typed it.
        return context.json({ error: sentence(error) }, 400);
      }
    });
  };
  route(
    "/say",
    { text: z.string().min(1), thread: z.string().optional() },
    (person, { text, channel, thread: named }) => {
      const thread = threadOf(person, channel, named);
      return person.says(text, { channel, ...(thread === undefined ? {} : { thread }) });
    },
  );
  route("/click", { label: z.string().min(1) }, (person, { label, channel }) => person.clicks(label, { channel }));
  route("/fill", { label: z.string().min(1), value: z.string() }, (person, { label, value, channel }) =>
    person.fills(label, value, { channel }),
  );
  return routes;
}

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

type Patience = {
  /** Quiet for this long counts as finished. */
  readonly quietMs: number;
  /** Stops waiting after this long. */
  readonly deadlineMs: number;
};

/** Waits until the person sees something new and it has been quiet for a while, or until the deadline. */
async function waitForChanges(world: World, isNew: () => boolean, patience: Patience): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { clock } = world;
  let quiet: Timer | undefined;
  const onChange = (): void => {
    if (!isNew()) return;
    quiet?.cancel();
    quiet = clock.after(patience.quietMs, resolve);
  };
  const deadline = clock.after(patience.deadlineMs, resolve);
  world.watchers.add(onChange);
  onChange();
  await promise;
  world.watchers.delete(onChange);
  quiet?.cancel();
  deadline.cancel();
}

/** Everything that appeared or changed for a person after a revision, as text; "" if nothing did. */
function drawChanges(world: World, at: { person: Person; channel: string }, revision: number): string {
  const changed = at.person.sees(at.channel).filter((seen) => seen.revision > revision);
  const view = at.person.modal();
  const form =
    view !== undefined && view.revision > revision ? [drawView(newPen(world.state), view), formHint(view)] : [];
  return [drawMessages(changed), ...deletedSince(world, at, revision), form.join("\n")]
    .filter((part) => part !== "")
    .join("\n\n");
}

function deletedSince(world: World, at: { person: Person; channel: string }, revision: number): readonly string[] {
  const id = at.person.channelId(at.channel);
  return world.state.deletions
    .filter((gone) => gone.revision > revision && gone.channel === id)
    .filter((gone) => gone.ephemeralTo === undefined || gone.ephemeralTo === at.person.id)
    .map(() => "(a message was deleted)");
}

/** The next steps for a person in a terminal, below a form. */
function formHint(view: View): string {
  const field = exampleField(view);
  const submit = submitLabel(view);
  const steps = [
    ...(field === undefined ? [] : [`--fill "${field}=…"`]),
    ...(submit === "" ? [] : [`--click ${quoted(submit)}`]),
  ];
  const close = `close the form with --click ${quoted(closeLabel(view))}`;
  return steps.length === 0 ? `(To go on, ${close}.)` : `(To go on, add ${steps.join(" and ")}; or ${close}.)`;
}

/** "Close" or "Show preview" as an argument in a shell. */
function quoted(label: string): string {
  return /^[\w-]+$/u.test(label) ? label : `"${label}"`;
}

/** Messages as one text, with replies indented below their parent. */
function drawMessages(seen: readonly Seen[]): string {
  const roots = seen.filter((each) => each.threadTs === undefined);
  const orphans = seen.filter(
    (each) => each.threadTs !== undefined && !roots.some((root) => root.ts === each.threadTs),
  );
  const ordered = [...roots, ...orphans].sort((one, other) => (one.ts < other.ts ? -1 : 1));
  return ordered
    .flatMap((each) => [
      drawMessage(each, false),
      ...seen.filter((reply) => reply.threadTs === each.ts).map((reply) => drawMessage(reply, true)),
    ])
    .join("\n\n");
}

function drawMessage(seen: Seen, hasParent: boolean): string {
  const marks = [
    ...(seen.isEphemeral ? ["(only visible to you)"] : []),
    ...(seen.isEdited ? ["(edited)"] : []),
    ...(seen.threadTs !== undefined && !hasParent ? ["(in a thread)"] : []),
    ...(seen.isBroadcast ? ["(also sent to the channel)"] : []),
  ];
  const head = [`${seen.author}:`, ...marks].join(" ");
  const files = seen.files.map(({ name, size, content }) => {
    return `[file ${name}, ${size} bytes]\n${indented(content.replace(/\n$/, ""), "  ")}`;
  });
  const body = [seen.text, ...files].filter((part) => part !== "").join("\n");
  return indented(`${head}\n${indented(body, "  ")}`, seen.threadTs === undefined ? "" : "    ");
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent);
}
