import { isList, isObject } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { block } from "./block.ts";
import { all, type Check, list, may, must, report, someString, whole } from "./shape.ts";
import { cell, visibleLength } from "./table.ts";

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
