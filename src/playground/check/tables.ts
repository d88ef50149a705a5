import { isList, isObject, type Json } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { richText } from "./rich-text.ts";
import {
  all,
  block,
  byType,
  type Check,
  flag,
  list,
  may,
  must,
  number,
  object,
  report,
  someString,
  whole,
  word,
} from "./shape.ts";

// https://docs.slack.dev/reference/block-kit/blocks/table-block

/** A cell of a table or a data table. */
const cell: Check = byType(
  {
    raw_text: object({ type: must(word("raw_text")), text: must(someString) }),
    raw_number: object({ type: must(word("raw_number")), value: must(number), text: must(someString) }),
    rich_text: richText,
  },
  "element.block",
);

/** The characters a reader sees in a value: all strings called `text` in it. */
function visibleLength(value: Json): number {
  if (isList(value)) return value.reduce<number>((sum, each) => sum + visibleLength(each), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (name === "text" && typeof inner === "string" ? inner.length : visibleLength(inner)),
    0,
  );
}

const columnSettings: Check = (value, at, site) => {
  // null skips a column.
  const setting = object({ align: may(word("left", "center", "right")), is_wrapped: may(flag) });
  if (value !== null) setting(value, at, site);
};

export const tableBlock = {
  rows: must(list(list(cell, "table.columns"), "table.rows")),
  column_settings: may(list(columnSettings, "table.settings")),
};

/** Adds a table to the message's number of tables and characters. */
export const tableTotals: Check = (value, at, site) => {
  if (!isObject(value)) return;
  site.totals.tables += 1;
  site.totals.cellText += visibleLength(value["rows"] ?? null);
  if (site.totals.tables > limits["table.count"].max) report(site, "table.count", [at, "only one table allowed"]);
  if (site.totals.cellText > limits["table.text"].max) {
    report(site, "table.text", [
      `${at}/rows`,
      `must be less than ${limits["table.text"].max + 1} characters over all cells`,
    ]);
  }
};

// https://docs.slack.dev/reference/block-kit/blocks/data-table-block

/** A header cell can be sorted by, so it is not rich text; at least one row follows it. */
const header: Check = (value, at, site) => {
  if (!isObject(value) || !isList(value["rows"])) return;
  const [first, second] = value["rows"];
  if (second === undefined) report(site, "data-table.body", [`${at}/rows`, "a header and at least one row are needed"]);
  for (const [index, each] of (isList(first) ? first : []).entries()) {
    if (isObject(each) && each["type"] === "rich_text") {
      report(site, "data-table.header", [`${at}/rows/0/${index}`, "a header cell must not be rich_text"]);
    }
  }
};

const total: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const { max } = limits["data-table.text"];
  site.totals.dataText += visibleLength(value["rows"] ?? null);
  if (site.totals.dataText > max) {
    report(site, "data-table.text", [`${at}/rows`, `must be less than ${max + 1} characters over all cells`]);
  }
};

export const dataTable: Check = all(
  block("data_table", {
    caption: must(someString),
    rows: must(list(list(cell, "data-table.columns"), "data-table.rows")),
    page_size: may(whole(1, limits["data-table.page-size"].max, "data-table.page-size")),
    row_header_column_index: may(whole(0, limits["data-table.columns"].max - 1)),
  }),
  header,
  total,
);
