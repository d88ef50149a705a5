import type { Seen, SeenFile } from "../people/visible-messages.ts";

function indented(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent);
}

function drawFile(file: SeenFile): string {
  return `[file ${file.name}, ${file.size} bytes]\n${indented(file.content.replace(/\n$/, ""), "  ")}`;
}

function drawOne(seen: Seen, hasParent: boolean): string {
  const marks = [
    ...(seen.isEphemeral ? ["(only visible to you)"] : []),
    ...(seen.isEdited ? ["(edited)"] : []),
    ...(seen.threadTs !== undefined && !hasParent ? ["(in a thread)"] : []),
  ];
  const head = [`${seen.author}:`, ...marks].join(" ");
  const body = [seen.text, ...seen.files.map(drawFile)].filter((part) => part !== "").join("\n");
  return indented(`${head}\n${indented(body, "  ")}`, seen.threadTs === undefined ? "" : "    ");
}

/** Messages as one text, with replies indented below their parent. */
export function drawMessages(seen: readonly Seen[]): string {
  const roots = seen.filter((each) => each.threadTs === undefined);
  const orphans = seen.filter(
    (each) => each.threadTs !== undefined && !roots.some((root) => root.ts === each.threadTs),
  );
  const ordered = [...roots, ...orphans].sort((one, other) => (one.ts < other.ts ? -1 : 1));
  return ordered
    .flatMap((each) => [
      drawOne(each, false),
      ...seen.filter((reply) => reply.threadTs === each.ts).map((reply) => drawOne(reply, true)),
    ])
    .join("\n\n");
}
