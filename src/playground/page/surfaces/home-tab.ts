import { h, type JSX } from "preact";
import { useEffect } from "preact/hooks";
import { objectsOf } from "../../json.ts";
import type { WireView } from "../../wire.ts";
import { Blocks } from "../blocks/blocks.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { useBlockContext } from "./use-block-context.ts";

function HomeView({ view }: { readonly view: WireView }): JSX.Element {
  const { context } = useBlockContext({ in: "view", view }, "home");
  return h("div", { class: "home-view" }, h(Blocks, { blocks: objectsOf(view.content["blocks"]), context }));
}

/** The app's Home tab. Opening it sends app_home_opened, on which the bot publishes it. */
export function HomeTab(): JSX.Element {
  const { snapshot, route, attempt } = useApp();
  useEffect(() => attempt(perform("home", { as: route.as, tab: "home" })), [snapshot.you]);
  const { home, app } = snapshot;
  const nothing = h(
    "div",
    { class: "empty-state" },
    h("h2", null, "This Home is empty"),
    h("p", null, `${app.name} hasn't sent it yet. You can type commands under Messages.`),
  );
  return h(
    "div",
    { class: "home-tab", role: "region", "aria-label": `Home of ${app.name}`, tabIndex: 0 },
    home === null ? nothing : h(HomeView, { key: home.id, view: home }),
  );
}
