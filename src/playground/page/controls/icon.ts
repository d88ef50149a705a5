import { h, type JSX } from "preact";

/** Drawn for this page, on a grid of 20 × 20. */
const paths = {
  thread: "M4 5h12v8H9l-3 3v-3H4z",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  close: "M5 5l10 10M15 5L5 15",
  menu: "M3 6h14M3 10h14M3 14h14",
  send: "M4 10h11M11 5l5 5-5 5",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 8a2 2 0 100 4 2 2 0 000-4z",
  lock: "M5 9h10v7H5zM7 9V7a3 3 0 016 0v2",
  bolt: "M11 2L5 11h4l-1 7 6-9h-4z",
  pulse: "M2 10h4l2-5 4 10 2-5h4",
  warning: "M10 3l8 14H2zM10 8v4M10 14.5h.01",
  file: "M5 2h7l3 3v13H5zM12 2v4h3",
  download: "M10 3v9M6 9l4 4 4-4M4 16h12",
  window: "M8 4H4v12h12v-4M11 3h6v6M17 3l-8 8",
  back: "M12 4l-6 6 6 6",
  down: "M5 8l5 5 5-5",
} as const;

export type IconName = keyof typeof paths;

/** An icon beside text or an aria-label, never instead of both. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return h(
    "svg",
    { class: "icon", viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true", focusable: "false" },
    h("path", { d: paths[name] }),
  );
}
