import { h, type JSX } from "preact";
import { objectOf, textOf } from "../../json.ts";
import type { WireView } from "../../live/wire.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";

/** A line about a form that this person has open in another window or in a terminal. */
export function FormElsewhere({ view, onShow }: { readonly view: WireView; readonly onShow: () => void }): JSX.Element {
  const { route, attempt } = useApp();
  const title = textOf(objectOf(view.content["title"])["text"]);
  const where = view.session === "terminal" ? "a terminal" : "another window";
  const close = (): void => attempt(perform("close", { as: route.as, view: view.id, all: true }));
  return h(
    "p",
    { class: "form-elsewhere", role: "status" },
    h("span", null, `You opened the form “${title}” in ${where}.`),
    h("button", { type: "button", class: "btn small", onClick: onShow }, "Show it here"),
    h("button", { type: "button", class: "btn small", onClick: close }, "Close it"),
  );
}

/** Whether the form was opened in another window or in a terminal. */
export function isElsewhere(view: WireView, session: string): boolean {
  return view.session !== "" && view.session !== session;
}
