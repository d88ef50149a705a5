// What the images of the catalogue (../catalogue.ts) run: `run.ts NAME [ARGUMENT…]`.
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import { constants } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";

const [name = "", ...args] = process.argv.slice(2);

/** Writes a line of the log with its time, as real programs do. */
function print(line: string, to: NodeJS.WriteStream = process.stdout): void {
  to.write(`${new Date().toISOString()} ${line}\n`);
}

/** Ends with the usage. */
type Refuse = (why: string) => never;

/** The arguments, whose options all take a text. Wrong ones end the program with its usage. */
function argumentsOf<const Name extends string>(usage: string, names: readonly Name[], allowPositionals = false) {
  const refuse: Refuse = (why) => {
    process.stderr.write(`${why}\nusage: ${usage}\n`);
    process.exit(2);
  };
  const options = Object.fromEntries(names.map((option) => [option, { type: "string" as const }]));
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals });
    return { values: values as Partial<Record<Name, string>>, positionals, refuse }; // the options are these
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

type Least = { readonly least: number; readonly refuse: Refuse };

function milliseconds(option: string, text: string, { least, refuse }: Least): number {
  const ms = Number(text);
  return Number.isInteger(ms) && ms >= least ? ms : refuse(`${option} takes a number of milliseconds`);
}

/** An HTTP server on each of its PORT variables. Its tag is its version. */
function helloWeb(): void {
  const { INSTANCE_NAME: instance = "unnamed", REGION: region = "nowhere", IMAGE_TAG: tag = "1" } = process.env;
  const startedAt = new Date().toISOString();
  const { values, refuse } = argumentsOf("[--greeting TEXT] [--heartbeat MS]", ["greeting", "heartbeat"]);
  const { greeting = "hello", heartbeat = "10000" } = values;
  const heartbeatMs = milliseconds("--heartbeat", heartbeat, { least: 1, refuse });
  let served = 0;

  function answer(response: ServerResponse): void {
    served += 1;
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "x-instance": instance });
    response.end(
      `${greeting} from ${instance} in ${region} (version ${tag}, process ${process.pid}, started ${startedAt})\n`,
    );
  }

  const variables = Object.entries(process.env).filter(([variable]) => /^PORT(_\d+)?$/.test(variable));
  const ports = new Set(variables.map(([, value]) => Number(value)));
  /** A version that never becomes ready, to see what happens then. */
  const isBroken = tag === "broken";
  if (isBroken) {
    const complain = (): void => print("error: no answer from the database, trying again", process.stderr);
    complain();
    setInterval(complain, 1_000);
  }
  const servers = (isBroken ? [] : [...ports]).map((port) => {
    const server = createServer((request, response) => {
      answer(response);
      print(`${request.method} ${request.url} 200`);
    });
    server.on("error", (error) => {
      print(`can't listen on port ${port}: ${error.message}`, process.stderr);
      process.exit(1);
    });
    return server.listen(port, "127.0.0.1", () => print(`listening on port ${port}`));
  });
  if (ports.size === 0) print("no port mapping, nobody can reach this server");

  setInterval(() => {
    print(`heartbeat: ${served} requests served, up ${Math.round(process.uptime())} s`);
  }, heartbeatMs);

  process.on("SIGTERM", () => {
    print("stopping");
    let open = servers.length;
    if (open === 0) process.exit(0);
    // Requests that came before are answered.
    for (const server of servers) server.close(() => (open -= 1) === 0 && process.exit(0));
  });
}

// Fake secrets. Real programs leak such lines, so anything that shows logs has to redact them.
const leaks = [
  "DEBUG connecting with aws_access_key_id=AKIAIOSFODNN7EXAMPLE",
  "DEBUG > Authorization: Bearer not-a-real-token-0123456789abcdefghij",
  "DEBUG database url: host=db.example.com user=worker password=not-a-real-password-1",
];

/** Works through an endless queue and logs like a real program, errors included. */
function worker(): void {
  const { values, refuse } = argumentsOf("[--every MS]", ["every"]);
  const everyMs = milliseconds("--every", values.every ?? "2000", { least: 1, refuse });
  let item = 0;

  function work(): void {
    item += 1;
    print(`INFO item ${item} done in ${20 + ((item * 37) % 180)} ms`);
    if (item % 5 === 0) print(`WARN item ${item} took a second attempt`);
    if (item % 7 === 0) {
      const { stack } = new Error(`the queue answered 502 for item ${item}`);
      print(`ERROR item ${item} was given up: ${stack}`, process.stderr);
    }
    if (item % 11 === 0) print(`${leaks[(item / 11) % leaks.length]}`);
  }

  print("INFO worker started");
  setInterval(work, everyMs);
  process.on("SIGTERM", () => {
    print(`INFO stopping after ${item} items`);
    process.exit(0);
  });
}

/** Works for a while, then crashes. */
function flaky(): void {
  const usage = "[--after MS] [--exit CODE], or AFTER_MS in the environment";
  const { values, refuse } = argumentsOf(usage, ["after", "exit"]);
  const afterMs = milliseconds("--after", values.after ?? process.env["AFTER_MS"] ?? "30000", { least: 0, refuse });
  const code = Number(values.exit ?? 1);
  if (!Number.isInteger(code) || code < 0 || code > 255) refuse("--exit takes a number from 0 to 255");
  print("started, all is well so far");
  const crash = (): void => {
    print(`${new Error("lost the connection to the database").stack}`, process.stderr);
    process.exit(code);
  };
  setTimeout(crash, afterMs * (0.5 + Math.random()));
  process.on("SIGTERM", () => {
    print("stopping");
    process.exit(0);
  });
}

/** A job that runs a number of steps and exits with a code. */
async function batch(): Promise<void> {
  const usage = "[STEPS] [--exit CODE] [--delay MS] [--fail-first N]";
  const { values, positionals, refuse } = argumentsOf(usage, ["exit", "delay", "fail-first"], true);
  const count = (what: string, text: string): number =>
    /^\d{1,9}$/.test(text) ? Number(text) : refuse(`${what} takes a number, not ${JSON.stringify(text)}`);
  if (positionals.length > 1) refuse(`one number of steps, not ${positionals.length}`);
  const steps = count("STEPS", positionals[0] ?? "10");
  const code = count("--exit", values.exit ?? "0");
  if (code > 255) refuse("--exit takes a number from 0 to 255");
  const delayMs = count("--delay", values.delay ?? "500");
  const failFirst = count("--fail-first", values["fail-first"] ?? "0");
  // The engine counts the attempts of a job, from 1.
  const attempt = Number(process.env["GANTRY_ATTEMPT"] ?? "1");

  process.on("SIGTERM", () => {
    print("interrupted");
    process.exit(143);
  });
  for (let step = 1; step <= steps; step += 1) {
    await pause(delayMs);
    print(`step ${step} of ${steps}`);
  }
  if (attempt <= failFirst) {
    print(`attempt ${attempt} fails, as the first ${failFirst} are to`, process.stderr);
    process.exit(1);
  }
  print(`done, exit ${code}`);
  process.exit(code);
}

/**
 * A command of the host, if allowed: the arguments are the argv, without a shell. This process remains the parent of the
 * command, so that the command ends when the server dies (lifeline.ts).
 */
function host(): void {
  const [file = "", ...rest] = args;
  const command = spawn(file, rest, { stdio: ["ignore", "inherit", "inherit"] });
  // The engine signals the whole process group, so the command has the signal. This process waits for its end.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  command.on("error", (error) => {
    process.stderr.write(`can't run ${file}: ${error.message}\n`);
    process.exit(127);
  });
  command.on("exit", (code, signal) => {
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
  });
}

const programs: Readonly<Record<string, () => void | Promise<void>>> = {
  "hello-web": helloWeb,
  worker,
  flaky,
  batch,
  host,
};
const run = programs[name];
// To end well here would tell a job that it is complete.
if (!run) throw new Error(`there is no program ${name}`);
await run();
