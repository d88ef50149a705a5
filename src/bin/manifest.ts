import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { manifestFor, type ManifestTarget } from "../boot/manifest-for.ts";

const usage = `npm run manifest -- --url https://gantry.example.com | --socket [--command /gantry]
  --url URL        the public https address that forwards to the bot's PORT
  --socket         Socket Mode, without an address (not supported yet)
  --command NAME   another slash command; also start the bot with GANTRY_COMMAND=NAME
`;

function targetOf(args: readonly string[]): ManifestTarget {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: "string" },
      socket: { type: "boolean", default: false },
      command: { type: "string", default: "/gantry" },
    },
  });
  const { url, socket, command } = values;
  if (!/^\/[a-z0-9_-]{1,31}$/u.test(command)) throw new Error(`“${command}” isn't a slash command such as /gantry.`);
  if (socket === (url !== undefined)) throw new Error("Use either --url or --socket.");
  return url === undefined ? { kind: "socket", command } : { kind: "url", url, command };
}

try {
  const text = readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8");
  process.stdout.write(manifestFor(text, targetOf(process.argv.slice(2))));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
