import { dirname, join, relative, sep } from "node:path";
import { instrument } from "./path/instrument.ts";
import { record, type Entered } from "./path/recorder.ts";

/**
 * Follows `/gantry scale web 3` through the bot, from Slack's delivery to the settled card, and counts what it takes:
 * functions, files, changes of folder, SQL statements, times that the sealed Change is opened, and own frames from the
 * entry to `fetch`: from the HTTP listener to the queue, and from the queue to the request to the service.
 * A figure to compare with another commit, not a speed.
 */

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");
const isBot = (path: string): boolean =>
  path.startsWith(src + sep) && !/\/(?:playground|service|bin|stand-ins)\//u.test(path);

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
    recorder.sentAt = new Error("here").stack ?? "";
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

function folderChanges(entered: readonly Entered[]): number {
  return entered.filter(({ file }, index) => index > 0 && dirname(file) !== dirname(entered[index - 1]?.file ?? ""))
    .length;
}

async function main(): Promise<void> {
  await using gantry = await world({ apiFetch: api });
  await gantry.developer.says("/gantry list");
  await gantry.settled();
  recorder.isOn = true;
  await gantry.developer.says("/gantry scale web 3");
  await gantry.settled();
  recorder.isOn = false;
  const { statements, queuedAt, sentAt } = recorder;
  // Two stacks, because a queue parts the request from the ack.
  const frames = { queue: ownFrames(queuedAt), fetch: ownFrames(sentAt) };
  if (frames.queue.length === 0 || frames.fetch.length === 0) throw new Error("the path was not followed");
  const entered = recorder.entered.filter(({ name }) => !name.startsWith("anonymous:"));
  const functions = new Set(entered.map(({ file, name }) => `${file} ${name}`));
  const files = new Set(entered.map(({ file }) => file));
  const count = (name: string): number => entered.filter((each) => each.name.startsWith(`${name}:`)).length;
  // An earlier version called it `openChange`.
  const changes = count("openContent") + count("openChange");
  const figures = {
    card: newest(gantry.developer).split("\n")[0],
    functions: functions.size,
    files: files.size,
    folders: new Set([...files].map(dirname)).size,
    "folder changes": folderChanges(entered),
    "SQL statements": statements.length,
    "unsealed Changes": changes,
    "other texts unsealed": count("opened") - changes,
    "texts sealed": count("sealed"),
    "frames to the queue": frames.queue.length,
    "frames from the queue to fetch": frames.fetch.length,
    "frames from entry to fetch": frames.queue.length + frames.fetch.length,
  };
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${value}\n`);
  if (process.argv.includes("--verbose")) {
    for (const file of [...files].toSorted()) process.stdout.write(`  ${relative(root, file)}\n`);
    process.stdout.write(`${statements.join("\n")}\n${[...frames.queue, "", ...frames.fetch].join("\n")}\n`);
  }
}

await main();
