import { clickSamples } from "./click-samples.ts";
import { fieldSamples } from "./field-samples.ts";
import { layoutSamples } from "./layout-samples.ts";
import { richSamples } from "./rich-samples.ts";
import type { SampleGroup } from "./sample.ts";
import { selectSamples } from "./select-samples.ts";
import { textSamples } from "./text-samples.ts";

/** Each block and element: minimal, typical, and at its limits. */
export const samples: readonly SampleGroup[] = [
  ...textSamples,
  ...richSamples,
  ...layoutSamples,
  ...clickSamples,
  ...selectSamples,
  ...fieldSamples,
];
