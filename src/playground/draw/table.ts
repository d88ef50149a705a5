import { isList, isObject, type Json, type JsonObject, objectsOf, textOf } from "../json.ts";
import type { Pen } from "./pen.ts";
import { drawRichText } from "./rich-text.ts";

function drawCell(pen: Pen, cell: Json): string {
  if (!isObject(cell)) return "";
  const drawn = cell["type"] === "rich_text" ? drawRichText(pen, cell) : textOf(cell["text"]);
  return drawn.replaceAll("\n", " ");
}

/** A table as aligned columns with two spaces between them. */
export function drawTable(pen: Pen, block: JsonObject): string {
  const rows = isList(block["rows"])
    ? block["rows"].map((row) => (isList(row) ? row.map((cell) => drawCell(pen, cell)) : []))
    : [];
  const aligned = objectsOf(block["column_settings"]).map((setting) => setting["align"] === "right");
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return aligned[column] === true ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
