import { h, type JSX } from "preact";
import type { WireUser } from "../../live/wire.ts";

/** The number of avatar colours in controls.css. */
const hues = 6;

function hueOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % hues;
}

/** Initials on a colour; apps have square corners. */
export function Avatar({
  user,
  size = "normal",
}: {
  readonly user: WireUser;
  readonly size?: "normal" | "small";
}): JSX.Element {
  const words = user.realName.split(/\s+/u);
  const initials = words.map((word) => Array.from(word)[0] ?? "").join("");
  const tone = user.isBot ? "avatar-app" : `avatar-${hueOf(user.name)}`;
  return h("span", { class: `avatar ${size} ${tone}`, "aria-hidden": "true" }, initials.slice(0, 2).toUpperCase());
}
