import { type Document, isMap, isNode, isScalar, type LineCounter } from "yaml";

export type Path = readonly PropertyKey[];

/** Line numbers in a YAML text, counted from 1. */
export type YamlLines = {
  /** The line of the value at a path, or of the nearest value around it. */
  readonly ofValue: (path: Path) => number;
  /** The line of the key; its value can begin on a later one. */
  readonly ofKey: (path: Path) => number;
};

export function yamlLines(document: Document, counter: LineCounter): YamlLines {
  const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line);
  const ofValue = (path: Path): number => lineAt(offsetOfValue(document, path));
  const ofKey = (path: Path): number => {
    const offset = offsetOfKey(document, path);
    return offset === undefined ? ofValue(path) : lineAt(offset);
  };
  return { ofValue, ofKey };
}

function offsetOfValue(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function offsetOfKey(document: Document, path: Path): number | undefined {
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(around)) return undefined;
  const key = around.items.map((pair) => pair.key).find((each) => isScalar(each) && each.value === path.at(-1));
  return isScalar(key) ? key.range?.[0] : undefined;
}
