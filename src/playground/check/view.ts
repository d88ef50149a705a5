import { isObject, type Json, type JsonObject, objectsOf, parseJson } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { refuse, Refused } from "../rules/refusal.ts";
import { checkBlocks } from "./blocks.ts";
import { type Check, may, must, newSite, object, report, text, word } from "./shape.ts";
import { plain } from "./composition-objects.ts";

// https://docs.slack.dev/reference/views

const sized = (limit: "view.private-metadata" | "view.callback-id" | "view.external-id"): Check => {
  return (value, at, site) => (value === "" ? undefined : text(limit)(value, at, site));
};

const base = {
  blocks: must((value, at, site) => checkBlocks(value, at, site)),
  private_metadata: may(sized("view.private-metadata")),
  callback_id: may(sized("view.callback-id")),
  external_id: may(sized("view.external-id")),
} satisfies Parameters<typeof object>[0];

const modal = object({
  type: must(word("modal")),
  title: must(plain("view.title")),
  submit: may(plain("view.submit")),
  close: may(plain("view.close")),
  ...base,
});

const home = object({ type: must(word("home")), ...base });

/** Reads and checks a view (JSON text or an object); throws Refused with Slack's code. */
export function checkView(input: Json | undefined, surface: "modal" | "home"): JsonObject {
  const view = typeof input === "string" ? parseJson(input) : input;
  if (!isObject(view)) refuse("invalid_arguments", "method.arguments", "view must be a JSON object");
  const size = Buffer.byteLength(JSON.stringify(view));
  if (size > limits["view.size"].max) refuse("view_too_large", "view.size", `${size} bytes`);
  const site = newSite(surface);
  (surface === "modal" ? modal : home)(view, "/view", site);
  const hasInput = objectsOf(view["blocks"]).some((block) => block["type"] === "input");
  if (surface === "modal" && hasInput && view["submit"] === undefined) {
    report(site, "view.submit-needed", ["/view", "missing required field: submit"]);
  }
  if (site.problems.length > 0) throw new Refused("invalid_arguments", site.problems);
  return view;
}
