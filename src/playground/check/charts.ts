import { isList, isObject, type Json, objectOf, objectsOf, textOf } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { all, block, byType, type Check, list, may, must, number, object, report, text, word } from "./shape.ts";

// https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block

const positive: Check = (value, at, site) => {
  if (typeof value !== "number" || value <= 0) report(site, "object.value", [at, "must be a number above 0"]);
};

const label = must(text("chart.label"));
const segment = object({ label, value: must(positive) });
const point = object({ label, value: must(number) });
const series = object({ name: label, data: must(list(point)) });
const axis = object({
  categories: must(list(text("chart.label"), "chart.categories")),
  x_label: may(text("chart.axis-label")),
  y_label: may(text("chart.axis-label")),
});

/** Sorted labels as one text to compare. */
function sorted(labels: readonly (Json | undefined)[]): string {
  return labels.map(textOf).toSorted().join("\n");
}

/** Each series has a unique name and one point per category. */
const consistent: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const drawn = objectsOf(value["series"]);
  const categories = objectOf(value["axis_config"])["categories"];
  const wanted = sorted(isList(categories) ? categories : []);
  for (const [index, one] of drawn.entries()) {
    const pointer = `${at}/series/${index}`;
    if (drawn.findIndex((other) => other["name"] === one["name"]) < index) {
      report(site, "chart.series-name", [`${pointer}/name`, "another series has this name"]);
    }
    if (sorted(objectsOf(one["data"]).map((each) => each["label"])) !== wanted) {
      report(site, "chart.points", [`${pointer}/data`, "must have one point for each category"]);
    }
  }
};

function plotted(type: string): Check {
  const shape = object({
    type: must(word(type)),
    series: must(list(series, "chart.series")),
    axis_config: must(axis),
  });
  return all(shape, consistent);
}

const chart = byType(
  {
    line: plotted("line"),
    bar: plotted("bar"),
    area: plotted("area"),
    pie: object({ type: must(word("pie")), segments: must(list(segment, "chart.segments")) }),
  },
  "object.value",
);

const count: Check = (_value, at, site) => {
  site.totals.charts += 1;
  const { max } = limits["chart.count"];
  if (site.totals.charts > max) report(site, "chart.count", [at, `no more than ${max} charts allowed`]);
};

export const dataVisualization: Check = all(
  block("data_visualization", { title: must(text("chart.title")), chart: must(chart) }),
  count,
);
