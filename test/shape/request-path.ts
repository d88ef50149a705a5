import { dirname, join, relative, sep } from "node:path";
import { instrument } from "./instrument.ts";
import { record, type Entered } from "./recorder.ts";

/**
 * Follows `/gantry scale web 3` through the bot, from Slack's delivery to the settled card, and counts what it takes.
 * A figure to compare with another commit, not a speed. Run it by itself: what it follows has to be imported after it.
 */

process.stdout.on("error", () => process.exit());

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");
const isBot = (path: string): boolean =>
  path.startsWith(src + sep) && !/\/(?:playground|service|bin|stand-ins)\//u.test(path.slice(src.length));

Error.stackTraceLimit = 200;
instrument(isBot);
const recorder = record((location) => location.endsWith("gantry.sqlite"));
// After `instrument`: what is imported above it would not be followed.
const { world, newest } = await import("../support/world.ts");

const web = {
  name: "web",
  uid: "u1",
  status: "Running",
  target_instance_size: 2,
  containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
};

async function api(request: Request): Promise<Response> {
  if (request.method === "PUT") {
    recorder.sent();
    Object.assign(web, await request.json());
    return Response.json({});
  }
  const { pathname } = new URL(request.url);
  if (pathname.endsWith("/services/web")) return Response.json(web);
  if (pathname.endsWith("/services")) return Response.json({ services: [web] });
  if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
  return Response.json({ message: "no such thing" }, { status: 404 });
}

function ownFrames(stack: string): string[] {
  return stack.split("\n").filter((line) => isBot(/file:\/\/([^:]+)/u.exec(line)?.[1] ?? ""));
}

function filesOf(entered: readonly Entered[]): string[] {
  const named = entered.filter(({ name }) => !name.startsWith("anonymous:"));
  return [...new Set(named.map(({ file }) => file))].toSorted();
}

function foldersOf(files: readonly string[]): number {
  return new Set(files.map((file) => dirname(file))).size;
}

await using gantry = await world({ apiFetch: api });
await gantry.developer.says("/gantry list");
await gantry.settled();
recorder.isOn = true;
await gantry.developer.says("/gantry scale web 3");
await gantry.settled();
recorder.isOn = false;

// Two stacks, because a queue parts the request from the ack.
const frames = { queue: ownFrames(recorder.queuedAt), request: ownFrames(recorder.sentAt) };
if (frames.queue.length === 0 || frames.request.length === 0) throw new Error("the path was not followed");
const whole = filesOf(recorder.entered);
const untilSent = filesOf(recorder.entered.slice(0, recorder.enteredUntilSent));
const figures = {
  card: newest(gantry.developer).split("\n")[0],
  "files until the request is sent": untilSent.length,
  "folders until the request is sent": foldersOf(untilSent),
  "files until the card is settled": whole.length,
  "folders until the card is settled": foldersOf(whole),
  "functions until the card is settled": new Set(recorder.entered.map(({ file, name }) => `${file} ${name}`)).size,
  "frames from Slack's delivery to the queue": frames.queue.length,
  "frames from the queue to the request": frames.request.length,
  "SQL statements": recorder.statements.length,
};
for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${value}\n`);
if (process.argv.includes("--verbose")) {
  for (const file of whole) {
    process.stdout.write(`${untilSent.includes(file) ? "  before" : "  after "} ${relative(root, file)}\n`);
  }
  process.stdout.write(`${recorder.statements.join("\n")}\n${[...frames.queue, "", ...frames.request].join("\n")}\n`);
}
