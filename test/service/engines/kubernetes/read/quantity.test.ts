import { expect, test } from "vitest";
import { quantityMib } from "../../../../../src/service/engines/kubernetes/read/containers.ts";

test.each([
  ["1Gi", 1024],
  ["1024Mi", 1024],
  ["134217728", 128],
  [134_217_728, 128],
  ["128974848", 123],
  ["129e6", 124],
  ["129E6", 124],
  ["500M", 477],
  ["1.5Gi", 1536],
  [".5Gi", 512],
  ["134217728000m", 128],
  ["2Ti", 2_097_152],
  ["1", 1],
  ["0", undefined],
  ["lots", undefined],
  ["12XB", undefined],
  ["", undefined],
])("%j is %j MiB", (quantity, mib) => {
  expect(quantityMib(quantity)).toBe(mib);
});
