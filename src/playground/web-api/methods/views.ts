import { checkView } from "../../check/blocks.ts";
import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/rules.ts";
import { findView, openView, publishView, updateView, useTrigger, viewJson } from "../../workspace/views.ts";
import type { World } from "../../world.ts";
import { knownUser, type Methods } from "./method.ts";

function update(world: World, args: JsonObject): JsonObject {
  const [id, externalId] = [textOf(args["view_id"]), textOf(args["external_id"])];
  if (id === "" && externalId === "")
    refuse("invalid_arguments", "method.arguments", "view_id or external_id is needed");
  const view = findView(world, id, externalId);
  if (view === undefined) refuse("not_found", "view.known", "no such view is open");
  const hash = textOf(args["hash"]);
  if (hash !== "" && hash !== view.hash) refuse("hash_conflict", "view.hash", `the view's hash is ${view.hash} by now`);
  updateView(world, view, checkView(args["view"], view.type));
  return { view: viewJson(world, view) };
}

export const views: Methods = {
  "views.open": {
    scopes: [],
    required: { trigger_id: "text", view: "json" },
    optional: {},
    run(world, args) {
      const content = checkView(args["view"], "modal");
      return { view: viewJson(world, openView(world, useTrigger(world, textOf(args["trigger_id"])), content)) };
    },
  },
  "views.update": {
    scopes: [],
    required: { view: "json" },
    optional: { view_id: "text", external_id: "text", hash: "text" },
    run: update,
  },
  "views.publish": {
    scopes: [],
    required: { user_id: "text", view: "json" },
    optional: {},
    run(world, args) {
      const user = knownUser(world, textOf(args["user_id"]));
      return { view: viewJson(world, publishView(world, user.id, checkView(args["view"], "home"))) };
    },
  },
};
