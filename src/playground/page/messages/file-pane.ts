import { h, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon, PaneHead, useFocusReturn } from "../controls/controls.ts";
import { fileText } from "../app/request.ts";
import type { WireFile } from "../../wire.ts";

/** Larger files make a browser slow; the download is complete. */
const mostCharacters = 400_000;

type Loaded = { readonly text: string; readonly isError: boolean };

function useFileText(id: string): Loaded | undefined {
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    setLoaded(undefined);
    const show = (text: string, isError: boolean): void => {
      if (isShown) setLoaded({ text, isError });
    };
    fileText(id).then(
      (text) => show(text, false),
      (error: unknown) => show(error instanceof Error ? error.message : String(error), true),
    );
    return () => void (isShown = false);
  }, [id]);
  return loaded;
}

/** The text of an uploaded file. */
export function FilePane({ file, onClose }: { readonly file: WireFile; readonly onClose: () => void }): JSX.Element {
  const loaded = useFileText(file.id);
  const pane = useFocusReturn();
  // The element that opened it may be gone with its thread; and the arrow keys scroll the focused element.
  useEffect(() => pane.current?.querySelector<HTMLElement>(".file-text")?.focus(), [file.id]);
  const text = loaded?.text ?? "";
  return h(
    "aside",
    { ref: pane, class: "side-pane file-pane", "aria-label": `File ${file.name}` },
    h(
      PaneHead,
      { title: "File", detail: file.name, onClose },
      h(
        "a",
        {
          class: "icon-button",
          href: `/files/${file.id}`,
          download: file.name,
          "aria-label": "Download",
          title: "Download",
        },
        h(Icon, { name: "download" }),
      ),
    ),
    loaded?.isError === true
      ? h("p", { class: "pane-note", role: "alert" }, text)
      : h(
          "pre",
          { class: "file-text", tabIndex: 0, "aria-label": `Text of ${file.name}` },
          text.slice(0, mostCharacters),
        ),
    text.length > mostCharacters
      ? h("p", { class: "pane-note" }, "The rest isn't shown. Download the file to see all of it.")
      : null,
  );
}
