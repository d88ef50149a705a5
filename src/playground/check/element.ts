import { all, type Check, flag, list, may, must, object, type Property, report, text, word } from "./shape.ts";
import { confirm, plain } from "./text-objects.ts";

// Properties that elements share: https://docs.slack.dev/reference/block-kit/block-elements

const actionId: Check = all(text("action.id"), (value, at, site) => {
  if (typeof value !== "string") return;
  if (site.actionIds.has(value)) report(site, "action.id-unique", [at, `duplicate action_id: ${value}`]);
  site.actionIds.add(value);
});

const focus: Check = all(flag, (value, at, site) => {
  if (value !== true) return;
  site.totals.focused += 1;
  if (site.totals.focused > 1) report(site, "view.focus", [at, "only one element may have focus_on_load"]);
});

const triggers = object({ trigger_actions_on: may(list(word("on_enter_pressed", "on_character_entered"))) });

/** Elements with a click. */
export const acts = { action_id: may(actionId), confirm: may(confirm) };
/** Clickable elements that can take the focus. */
export const focuses = { ...acts, focus_on_load: may(focus) };
/** Menus, which have a placeholder. */
export const picks = { ...focuses, placeholder: may(plain("placeholder.text")) };
/** Text fields. */
export const typed = {
  action_id: may(actionId),
  focus_on_load: may(focus),
  placeholder: may(plain("placeholder.text")),
  dispatch_action_config: may(triggers),
};

export function element(type: string, properties: Readonly<Record<string, Property>>): Check {
  return object({ type: must(word(type)), ...properties });
}
