import { randomBytes } from "node:crypto";
import { initialState, keptState } from "../block-kit.ts";
import type { View } from "./state.ts";
import { newId, withIds } from "./workspace.ts";
import { type JsonObject, objectsOf, textOf } from "../json.ts";
import { refuse } from "../rules/rules.ts";
import { appId } from "./seeds.ts";
import { touch, type World } from "../world.ts";

export function findView(world: World, id: string, externalId: string): View | undefined {
  const all = [...world.state.modals.values(), ...world.state.homes.values()];
  return all.find((view) => (id === "" ? textOf(view.content["external_id"]) === externalId : view.id === id));
}

function checkExternalId(world: World, content: JsonObject, self?: View): void {
  const externalId = textOf(content["external_id"]);
  const holder = externalId === "" ? undefined : findView(world, "", externalId);
  if (holder !== undefined && holder !== self) {
    refuse("duplicate_external_id", "view.external-id-unique", `external_id ${externalId} is in use`);
  }
}

function withBlockIds(content: JsonObject): JsonObject {
  return { ...content, blocks: withIds(objectsOf(content["blocks"])) };
}

type Made = { readonly user: string; readonly type: View["type"] };

function newView(world: World, made: Made, content: JsonObject): View {
  checkExternalId(world, content);
  const shown = withBlockIds(content);
  return {
    id: newId("V"),
    user: made.user,
    type: made.type,
    content: shown,
    state: initialState(objectsOf(shown["blocks"])),
    errors: {},
    hash: world.clock.ts(),
    revision: 0,
    session: world.state.sessions.get(made.user) ?? "",
  };
}

/** Opens a modal, replacing any open one. */
export function openView(world: World, user: string, content: JsonObject): View {
  const view = newView(world, { user, type: "modal" }, content);
  world.state.modals.set(user, view);
  touch(world, view);
  return view;
}

export function publishView(world: World, user: string, content: JsonObject): View {
  const shown = world.state.homes.get(user);
  if (shown !== undefined) {
    updateView(world, shown, content);
    return shown;
  }
  const view = newView(world, { user, type: "home" }, content);
  world.state.homes.set(user, view);
  touch(world, view);
  return view;
}

/** Replaces a view's content. Input stays where block_id and action_id stay. */
export function updateView(world: World, view: View, content: JsonObject): void {
  checkExternalId(world, content, view);
  view.content = withBlockIds(content);
  view.state = keptState(objectsOf(view.content["blocks"]), view.state);
  view.errors = {};
  view.hash = world.clock.ts();
  touch(world, view);
}

export function closeModal(world: World, user: string): void {
  world.state.modals.delete(user);
  touch(world);
}

/** A view without its team and app. */
export function viewFields(view: View): JsonObject {
  return {
    private_metadata: "",
    callback_id: "",
    external_id: "",
    clear_on_close: false,
    notify_on_close: false,
    submit: null,
    close: null,
    ...view.content,
    id: view.id,
    state: { values: view.state },
    hash: view.hash,
    root_view_id: view.id,
    previous_view_id: null,
    app_id: appId,
  };
}

/** A view in answers and payloads: https://docs.slack.dev/reference/views */
export function viewJson({ state: { team, bot } }: World, view: View): JsonObject {
  return { ...viewFields(view), team_id: team.id, bot_id: bot.id, app_installed_team_id: team.id };
}

/** A trigger_id for an interaction: https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses */
export function newTrigger(world: World, user: string): string {
  const id = `${world.clock.nowMs()}.${world.state.triggers.size + 1}.${randomBytes(16).toString("hex")}`;
  world.state.triggers.set(id, { user, madeMs: world.clock.nowMs(), isUsed: false });
  return id;
}

/** Uses up a trigger_id and returns its user. */
export function useTrigger(world: World, id: string): string {
  const trigger = world.state.triggers.get(id);
  if (trigger === undefined) refuse("invalid_trigger_id", "trigger.known", "no such trigger_id");
  if (trigger.isUsed) refuse("exchanged_trigger_id", "trigger.once", "the trigger_id was used before");
  const age = world.clock.nowMs() - trigger.madeMs;
  if (age > world.triggerMs) refuse("expired_trigger_id", "trigger.fresh", `the trigger_id is ${age} ms old`);
  trigger.isUsed = true;
  return trigger.user;
}
