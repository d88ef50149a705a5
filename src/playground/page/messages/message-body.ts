import { h, type JSX } from "preact";
import type { WireFile, WireMessage } from "../../wire.ts";
import { Blocks } from "../blocks/blocks.ts";
import type { BlockContext } from "../blocks/block-context.ts";
import { MrkdwnText } from "../blocks/text/text-object.ts";
import { Icon } from "../controls/controls.ts";
import { useApp } from "../app/app-context.ts";
import { useBlockContext } from "../surfaces/use-block-context.ts";

function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function FileCard({ file }: { readonly file: WireFile }): JSX.Element {
  const { openFile } = useApp();
  return h(
    "div",
    { class: "file-card" },
    h(
      "button",
      { type: "button", class: "file-open", onClick: () => openFile(file) },
      h(Icon, { name: "file" }),
      h(
        "span",
        { class: "file-words" },
        h("span", { class: "file-name" }, file.title || file.name),
        h("small", null, sizeWords(file.size)),
      ),
    ),
    h(
      "a",
      {
        class: "icon-button",
        href: `/files/${file.id}`,
        download: file.name,
        "aria-label": `Download ${file.name}`,
        title: "Download",
      },
      h(Icon, { name: "download" }),
    ),
  );
}

function Words(props: { readonly message: WireMessage; readonly context: BlockContext }): JSX.Element | null {
  const { message, context } = props;
  if (message.blocks.length > 0) return h(Blocks, { blocks: message.blocks, context });
  return message.text === "" ? null : h(MrkdwnText, { text: message.text, context });
}

/** A message's content: blocks or text, and files. */
export function MessageBody({ message }: { readonly message: WireMessage }): JSX.Element {
  const { context } = useBlockContext({ in: "message", channel: message.channel, ts: message.ts }, "message");
  return h(
    "div",
    { class: "message-body" },
    h(Words, { message, context }),
    message.files.map((file) => h(FileCard, { key: file.id, file })),
    message.isEdited ? h("span", { class: "edited" }, "(edited)") : null,
  );
}
