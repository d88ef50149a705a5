// GitHub draws Mermaid's diagrams. The site doesn't: there each one is a list.

const NODE = /^(\w+)(?:\[\(?"([^"]+)"\)?\])?$/u;
/** `-->`, `-->|"label"|`, `-.->|"label"|` or `-. label .->`. */
const ARROW = /\s+(?:-->|-\.->)(?:\|"?([^|"]+)"?\|)?\s+|\s+-\. (.+?) \.->\s+/u;
const PARTS = 3;

/** What a text on a drawing says in one line after the other. */
function linesOf(text: string): string[] {
  return text
    .replaceAll(/<\/?b>/gu, "")
    .replaceAll(",<br>", ", ")
    .split("<br>");
}

/** A Mermaid flowchart or state diagram as lines: what its nodes say besides their names, then "Gantry → Slack (label)". */
export function drawingLines(drawing: string): readonly string[] {
  const names = new Map([["[*]", "start"]]);
  const facts: string[] = [];
  const arrows: { readonly from: string; readonly to: string; readonly label: string }[] = [];
  const nodeIn = (text: string): string => {
    const [, id = text, label] = NODE.exec(text) ?? [];
    if (label === undefined) return id;
    const [first = "", ...more] = linesOf(label);
    const [name = "", what] = first.split(": ");
    names.set(id, name);
    const said = what === undefined ? more : [what, ...more];
    if (said.length > 0) facts.push(`${name}: ${said.join(" · ")}`);
    return id;
  };
  const isState = drawing.startsWith("stateDiagram");
  for (const line of drawing.split("\n").slice(1)) {
    const text = line.trim();
    if (text === "" || text === "end" || text.startsWith("subgraph ")) continue;
    const [, path = text, said = ""] = (isState ? /^(.+?): (.+)$/u.exec(text) : undefined) ?? [];
    const parts = path.split(ARROW);
    let from: string[] = [];
    for (let at = 0; at < parts.length; at += PARTS) {
      const to = (parts[at] ?? "").split(" & ").map(nodeIn);
      const label = linesOf(parts[at - 2] ?? parts[at - 1] ?? said).join(", ");
      for (const one of from) arrows.push(...to.map((other) => ({ from: one, to: other, label })));
      from = to;
    }
  }
  const nameOf = (id: string): string => names.get(id) ?? id;
  return [
    ...facts,
    ...arrows.map(({ from, to, label }) => `${nameOf(from)} → ${nameOf(to)}${label === "" ? "" : ` (${label})`}`),
  ];
}
