import { isMap, isScalar, parseDocument, visit } from "yaml";

/** Slack sends requests to an https address, or over a connection that the bot opens (Socket Mode). */
export type ManifestTarget =
  | { readonly kind: "url"; readonly url: string; readonly command: string }
  | { readonly kind: "socket"; readonly command: string };

/** The keys of addresses: https://docs.slack.dev/reference/app-manifest */
const addresses = new Set(["url", "request_url", "message_menu_options_url"]);

/** `manifest.yml` ready to paste, with its comments. Pure. Throws an Error with a sentence for a wrong address. */
export function manifestFor(text: string, target: ManifestTarget): string {
  const endpoint = target.kind === "url" ? endpointOf(target.url) : undefined;
  const document = parseDocument(text);
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || !addresses.has(String(pair.key.value))) return undefined;
      if (endpoint === undefined) return visit.REMOVE;
      if (isScalar(pair.value)) pair.value.value = endpoint;
      return undefined;
    },
    Map(_, map) {
      const command = map.get("command", true);
      if (isScalar(command)) command.value = target.command;
    },
  });
  const settings = document.get("settings");
  if (!isMap(settings)) throw new Error("manifest.yml has no settings");
  settings.set("socket_mode_enabled", target.kind === "socket");
  return document.toString({ lineWidth: 0 });
}

function endpointOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "https:") {
    throw new Error(`Slack can't call “${url}”. Use an https address such as https://gantry.example.com.`);
  }
  const path = parsed.pathname.replace(/\/+$/u, "");
  return `${parsed.origin}${path.endsWith("/slack/events") ? path : `${path}/slack/events`}`;
}
