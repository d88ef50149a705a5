import { checkView } from "../check/blocks.ts";
import { interactionRequest } from "../delivery/bot-request.ts";
import { deliver, deliverEvent, type Delivery } from "../delivery/deliver.ts";
import { isList, isObject, type Json, type JsonObject, objectOf, objectsOf, textOf } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { homeOpenedEvent, submissionPayload } from "../delivery/payloads.ts";
import { type Problem, refuse, Refused } from "../rules/rules.ts";
import type { User, View } from "../workspace/state.ts";
import { elementsOf, stateName, wordsOf } from "../block-kit.ts";
import { closeModal, updateView } from "../workspace/views.ts";
import { touch, type World } from "../world.ts";
import { appChannel, clickables } from "./surfaces.ts";

/** Opens a tab of the app; sends app_home_opened if the bot subscribed to it. */
export async function openHome(world: World, user: User, tab: "home" | "messages"): Promise<Delivery> {
  if (!world.app.events.includes("app_home_opened")) {
    return { kind: "app_home_opened", acked: true, status: undefined, ms: 0 };
  }
  const event = homeOpenedEvent(world, { user, channel: appChannel(world, user), tab });
  return deliverEvent(world, event);
}

const required = "Please complete this required field.";

function lengthProblem(element: JsonObject, value: string): string | undefined {
  const max = Number(element["max_length"] ?? limits["input.max-length"].max);
  return value.length > max ? `Please enter at most ${max} characters.` : undefined;
}

function numberProblem(element: JsonObject, value: string): string | undefined {
  const number = Number(value);
  const [min, max] = [Number(element["min_value"] ?? -Infinity), Number(element["max_value"] ?? Infinity)];
  const isWhole = element["is_decimal_allowed"] === true || Number.isInteger(number);
  return isWhole && number >= min && number <= max ? undefined : "Please enter a valid number.";
}

function problemOf(view: View, block: JsonObject): string | undefined {
  const element = objectOf(block["element"]);
  const type = textOf(element["type"]);
  const value = view.state[textOf(block["block_id"])]?.[textOf(element["action_id"])]?.[stateName(type) ?? ""];
  const isEmpty = value === undefined || value === null || value === "" || (isList(value) && value.length === 0);
  if (isEmpty) return block["optional"] === true ? undefined : required;
  if (type === "plain_text_input") return lengthProblem(element, textOf(value));
  return type === "number_input" ? numberProblem(element, textOf(value)) : undefined;
}

/** The validation that Slack's client does before sending. */
function clientErrors(view: View): Readonly<Record<string, string>> {
  const inputs = objectsOf(view.content["blocks"]).filter((block) => block["type"] === "input");
  return Object.fromEntries(
    inputs.flatMap((block) => {
      const problem = problemOf(view, block);
      return problem === undefined ? [] : [[textOf(block["block_id"]), problem]];
    }),
  );
}

function checkErrors(view: View, errors: Json | undefined): Readonly<Record<string, string>> {
  const inputs = new Set(
    objectsOf(view.content["blocks"]).flatMap((block) =>
      block["type"] === "input" ? [textOf(block["block_id"])] : [],
    ),
  );
  if (!isObject(errors) || Object.keys(errors).length === 0) refuse("invalid_answer", "view.answer", "errors is empty");
  const problems: Problem[] = Object.entries(errors)
    .filter(([blockId, text]) => !inputs.has(blockId) || textOf(text) === "")
    .map(([blockId]) => ({
      rule: "view.error-block",
      at: `/errors/${blockId}`,
      message: "no input block of this view, or no text",
    }));
  if (problems.length > 0) throw new Refused("invalid_answer", problems);
  return Object.fromEntries(Object.entries(errors).map(([blockId, text]) => [blockId, textOf(text)]));
}

/** Applies the answer to a view_submission: https://docs.slack.dev/surfaces/modals#response_actions */
function takeAnswer(world: World, view: View, answer: Json | undefined): void {
  if (answer === undefined) return closeModal(world, view.user);
  const body = isObject(answer) ? answer : {};
  const action = body["response_action"];
  if (action === "update") return updateView(world, view, checkView(body["view"], "modal"));
  if (action !== "errors") {
    refuse("invalid_answer", "view.answer", `the playground has no such answer: ${JSON.stringify(answer)}`);
  }
  view.errors = checkErrors(view, body["errors"]);
  touch(world, view);
}

/** Presses a modal's submit button. */
export async function submitView(world: World, user: User, view: View): Promise<Delivery> {
  if (view.content["submit"] === undefined) throw new Error("This form has no submit button.");
  view.errors = clientErrors(view);
  touch(world, view);
  if (Object.keys(view.errors).length > 0) {
    return { kind: "view_submission", acked: false, status: undefined, ms: 0, error: "incomplete" };
  }
  const parcel = interactionRequest("view_submission", submissionPayload(world, user, view));
  const delivery = await deliver(world, { ...parcel, onAck: (answer) => takeAnswer(world, view, answer) });
  if (delivery.error !== undefined || delivery.refusal !== undefined) {
    // Slack shows this line in the window and keeps it open.
    view.errors = { "": "We had some trouble connecting. Try again?" };
    touch(world, view);
  }
  return delivery;
}

/** Presses close or ×. The bot asks for no view_closed. */
export function closeView(world: World, view: View): Delivery {
  closeModal(world, view.user);
  return { kind: "view_closed", acked: true, status: undefined, ms: 0 };
}

/** The modal in front of a person. */
export function openForm(world: World, user: User): View | undefined {
  return world.state.modals.get(user.id);
}

/** The label of the submit button; "" for a view without one. */
export function submitLabel(view: View): string {
  return wordsOf(view.content, "submit");
}

/** The label of the button that closes the view. */
export function closeLabel(view: View): string {
  return wordsOf(view.content, "close") || (submitLabel(view) === "" ? "Close" : "Cancel");
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
    return [{ label: wordsOf(block, "label"), type, isMissing }];
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
  return new Error(`The form "${wordsOf(view.content, "title")}" has no field "${name}". Its fields: ${labels}.`);
}

/** The error for a button that the open form doesn't have. It may exist in the channel, which the form covers. */
export function noSuchFormButton(view: View, asked: { readonly label: string; readonly isBehind: boolean }): Error {
  const [title, close] = [wordsOf(view.content, "title"), closeLabel(view)];
  if (asked.isBehind) {
    return new Error(`The form "${title}" is open and covers "${asked.label}". Close it first: press "${close}".`);
  }
  const buttons = [...clickables(objectsOf(view.content["blocks"])), submitLabel(view), close];
  const there = buttons.filter((each) => each !== "").join(", ");
  return new Error(`The form "${title}" has no button "${asked.label}". Its buttons: ${there}.`);
}
