import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { loadEnvFile } from "../bot/compose/entry.ts";
import { calledAs } from "./programs.ts";
import { findPlayground } from "../bot/compose/stand-ins/playground-address.ts";

// Types a command, fills in a form or clicks a button as a person in the running playground, and prints what they see.

const say = calledAs("say");
const usage = `Usage: ${say} [TEXT] [options]

  ${say} "/gantry list"
  ${say} --as alex --click Approve
  ${say} "/gantry scale web" --fill "Instances=3" --click Scale

  TEXT                  a command or a message
  --as NAME             who you are: dana (default), alex, omar or gwen
  --in CHANNEL          where: ops (default), general, incidents, or @gantry
  --thread last         reply in the newest thread
  --fill "LABEL=VALUE"  fill in a field of the open form
  --click LABEL         press a button: of the open form, else the newest in the channel
  --help                show this

--fill and --click can be repeated; they run in the order given.
`;

const projectDir = resolve(import.meta.dirname, "../..");

const Answer = z.object({
  text: z.string().optional(),
  error: z.string().optional(),
  ack: z.object({ acked: z.boolean(), error: z.string().optional() }).optional(),
});
type Answer = z.infer<typeof Answer>;

type Request = { readonly path: "say" | "fill" | "click"; readonly body: Record<string, string> };
type Place = { readonly as: string; readonly channel: string };

function fillRequest(place: Place, value: string): Request {
  const at = value.indexOf("=");
  if (at < 1) throw new Error(`--fill needs LABEL=VALUE, like --fill "Instances=3". You typed "${value}".`);
  return { path: "fill", body: { ...place, label: value.slice(0, at).trim(), value: value.slice(at + 1).trim() } };
}

function read(args: readonly string[]): readonly Request[] | "help" {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    tokens: true,
    options: {
      as: { type: "string", default: "dana" },
      in: { type: "string", default: "ops" },
      click: { type: "string", multiple: true },
      fill: { type: "string", multiple: true },
      thread: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return "help";
  const place = { as: values.as, channel: values.in };
  const thread = values.thread === undefined ? {} : { thread: values.thread };
  const text = positionals.join(" ");
  const says: readonly Request[] = text === "" ? [] : [{ path: "say", body: { ...place, ...thread, text } }];
  const steps = tokens.flatMap((token): readonly Request[] => {
    if (token.kind !== "option" || token.value === undefined) return [];
    if (token.name === "fill") return [fillRequest(place, token.value)];
    return token.name === "click" ? [{ path: "click", body: { ...place, label: token.value } }] : [];
  });
  return [...says, ...steps];
}

async function ask(base: string, { path, body }: Request): Promise<Answer> {
  const response = await fetch(`${base}/playground/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return Answer.parse(await response.json());
}

/** Prints the answer to a request. Returns false when it failed. */
function show(answer: Answer): boolean {
  if (answer.error !== undefined) {
    process.stderr.write(`${answer.error}\n`);
    return false;
  }
  process.stdout.write(answer.text === "" ? "(nothing new)\n" : `${answer.text ?? ""}\n`);
  return answer.ack?.acked ?? true;
}

/** Runs the requests in order. A filled field is printed only if nothing follows: the next answer shows more. */
async function runAll(base: string, requests: readonly Request[]): Promise<boolean> {
  for (const [at, request] of requests.entries()) {
    const answer = await ask(base, request);
    const isQuiet = request.path === "fill" && at < requests.length - 1 && answer.error === undefined;
    if (!isQuiet && !show(answer)) return false;
  }
  return true;
}

function complain(text: string): number {
  process.stderr.write(text);
  return 1;
}

/** The connection broke before the whole answer arrived: the command may have been received. */
function isCutOff(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(code);
}

async function main(): Promise<number> {
  let requests: readonly Request[] | "help";
  try {
    requests = read(process.argv.slice(2));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    // Node adds advice on arguments that begin with a dash.
    return complain(`${problem.replace(/\. To specify a positional.*$/su, ".")}\n\n${usage}`);
  }
  if (requests === "help") {
    process.stdout.write(usage);
    return 0;
  }
  if (requests.length === 0) return complain(usage);
  const base = findPlayground(process.env, resolve(projectDir, process.env["GANTRY_DATA"] ?? ".gantry"));
  try {
    return (await runAll(base, requests)) ? 0 : 1;
  } catch (error) {
    if (isCutOff(error)) {
      const next = "Your command may have arrived: check `/gantry history` before you repeat it.";
      return complain(`The playground at ${base} stopped before it answered. ${next}\n`);
    }
    return complain(`Nothing answers at ${base}. Start it with \`npm start\`.\n`);
  }
}

loadEnvFile(process.env);
process.exitCode = await main();
