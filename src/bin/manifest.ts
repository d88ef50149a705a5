import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { calledAs } from "./programs.ts";
import { manifestFor, manifestJson, type ManifestTarget } from "../bot/compose/manifest.ts";

const usage = `Usage: ${calledAs("manifest").replace("run", "run --silent")} --socket | --url https://gantry.example.com [options]
  --socket         Socket Mode: Gantry connects to Slack, and needs no address
  --url URL        the public https address that forwards to the bot's PORT
  --install-url URL
                   the public https address of /slack/install (GANTRY_URL), when several workspaces install the app
  --command NAME   another slash command; also start the bot with GANTRY_COMMAND=NAME
  --json           one line of JSON instead of YAML
`;

type Asked = { readonly target: ManifestTarget; readonly isJson: boolean };

function asked(args: readonly string[]): Asked | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: "string" },
      socket: { type: "boolean", default: false },
      "install-url": { type: "string" },
      command: { type: "string", default: "/gantry" },
      help: { type: "boolean", short: "h" },
      json: { type: "boolean", default: false },
    },
  });
  if (values.help === true) return "help";
  const { url, socket, command, json: isJson, "install-url": installUrl } = values;
  if (!/^\/[a-z0-9_-]{1,31}$/u.test(command)) throw new Error(`“${command}” isn't a slash command such as /gantry.`);
  if (socket === (url !== undefined)) throw new Error("Use either --url or --socket.");
  return { target: { url, command, installUrl }, isJson };
}

try {
  const said = asked(process.argv.slice(2));
  if (said === "help") process.stdout.write(usage);
  else {
    const manifest = manifestFor(readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8"), said.target);
    process.stdout.write(said.isJson ? `${manifestJson(manifest)}\n` : manifest);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
