import { parseArgs } from "node:util";
import { z } from "zod";

// Types a command, or clicks a button, as a user of the running playground, and prints what that user then sees.

const usage = `Usage: npm run say -- "/gantry list" [--as dana|alex|omar|gwen] [--in ops] [--click Approve] [--thread last]
`;

const Answer = z.object({
  text: z.string().optional(),
  error: z.string().optional(),
  ack: z.object({ acked: z.boolean(), error: z.string().optional() }).optional(),
});

type Request = { readonly path: string; readonly body: Record<string, string> };

function read(args: readonly string[]): readonly Request[] {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      as: { type: "string", default: "dana" },
      in: { type: "string", default: "ops" },
      click: { type: "string", multiple: true, default: [] },
      thread: { type: "string" },
    },
  });
  const place = { as: values.as, channel: values.in };
  const thread = values.thread === undefined ? {} : { thread: values.thread };
  const text = positionals.join(" ");
  const says = text === "" ? [] : [{ path: "say", body: { ...place, ...thread, text } }];
  return [...says, ...values.click.map((label) => ({ path: "click", body: { ...place, label } }))];
}

async function ask(base: string, request: Request): Promise<z.infer<typeof Answer>> {
  const response = await fetch(`${base.replace(/\/$/, "")}/playground/${request.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request.body),
  });
  return Answer.parse(await response.json());
}

/** Prints the answer to a request. Returns false when it failed. */
function show(answer: z.infer<typeof Answer>): boolean {
  if (answer.error !== undefined) {
    process.stderr.write(`${answer.error}\n`);
    return false;
  }
  process.stdout.write(answer.text === "" ? "(nothing new to see)\n" : `${answer.text ?? ""}\n`);
  return answer.ack?.acked ?? true;
}

async function main(): Promise<number> {
  const base = process.env["PLAYGROUND_URL"] ?? "http://127.0.0.1:3001";
  let requests: readonly Request[];
  try {
    requests = read(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return 1;
  }
  if (requests.length === 0) {
    process.stderr.write(usage);
    return 1;
  }
  for (const request of requests) {
    try {
      if (!show(await ask(base, request))) return 1;
    } catch {
      process.stderr.write(
        `No playground answers at ${base}. Start it with "npm start" in another shell, or set PLAYGROUND_URL to where it runs.\n`,
      );
      return 1;
    }
  }
  return 0;
}

process.exitCode = await main();
