import type { Delivery } from "../delivery/deliver.ts";
import { objectOf, objectsOf, textOf } from "../json.ts";
import type { User, View } from "../workspace/state.ts";
import { elementsOf, stateName } from "../workspace/view-state.ts";
import type { World } from "../world.ts";
import { clickables } from "./find-element.ts";
import { closeView, submitView } from "./views.ts";

/** The modal in front of a person. */
export function openForm(world: World, user: User): View | undefined {
  return world.state.modals.get(user.id);
}

function words(view: View, part: "title" | "submit" | "close"): string {
  return textOf(objectOf(view.content[part])["text"]);
}

export function formTitle(view: View): string {
  return words(view, "title");
}

/** The label of the submit button; "" for a view without one. */
export function submitLabel(view: View): string {
  return view.content["submit"] === undefined ? "" : words(view, "submit");
}

/** The label of the button that closes the view. */
export function closeLabel(view: View): string {
  return words(view, "close") || (submitLabel(view) === "" ? "Close" : "Cancel");
}

/** Presses the form's own submit or close button; undefined if the label is another one. */
export function pressFormButton(
  world: World,
  user: User,
  pressed: { readonly view: View; readonly label: string },
): Promise<Delivery> | undefined {
  const { view, label } = pressed;
  if (label === "") return undefined;
  if (label === submitLabel(view)) return submitView(world, user, view);
  return label === closeLabel(view) ? Promise.resolve(closeView(world, view)) : undefined;
}

type FormField = { readonly label: string; readonly type: string; readonly isMissing: boolean };

function fields({ content, state }: View): readonly FormField[] {
  return objectsOf(content["blocks"]).flatMap((block) => {
    const [element] = elementsOf(block);
    if (block["type"] !== "input" || element === undefined) return [];
    const type = textOf(element["type"]);
    const value = state[textOf(block["block_id"])]?.[textOf(element["action_id"])]?.[stateName(type) ?? ""] ?? null;
    const isMissing = block["optional"] !== true && (value === null || value === "");
    return [{ label: textOf(objectOf(block["label"])["text"]), type, isMissing }];
  });
}

/** The field that a hint names: the first required one that is empty, else one to type into. */
export function exampleField(view: View): string | undefined {
  const all = fields(view);
  const next = all.find(({ isMissing }) => isMissing) ?? all.find(({ type }) => type.endsWith("_input")) ?? all[0];
  return next?.label;
}

export function noSuchField(view: View, name: string): Error {
  const labels =
    fields(view)
      .map(({ label }) => label)
      .join(", ") || "none";
  return new Error(`The form "${formTitle(view)}" has no field "${name}". Its fields: ${labels}.`);
}

/** The error for a button that the open form doesn't have. It may exist in the channel, which the form covers. */
export function noSuchFormButton(view: View, asked: { readonly label: string; readonly isBehind: boolean }): Error {
  const [title, close] = [formTitle(view), closeLabel(view)];
  if (asked.isBehind) {
    return new Error(`The form "${title}" is open and covers "${asked.label}". Close it first: press "${close}".`);
  }
  const buttons = [...clickables(objectsOf(view.content["blocks"])), submitLabel(view), close];
  const there = buttons.filter((each) => each !== "").join(", ");
  return new Error(`The form "${title}" has no button "${asked.label}". Its buttons: ${there}.`);
}
