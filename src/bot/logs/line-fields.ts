/** A field of a line in JSON or logfmt: its value as it was written, without quotes, and where that is. */
export type Field = { readonly value: string; readonly from: number; readonly to: number };
export type Fields = ReadonlyMap<string, Field>;

// Sticky, and each character has one way to match, so that no line takes long.
const JSON_KEY = /[{,]\s*"((?:[^"\\]|\\.)*)"\s*:\s*/uy;
const JSON_STRING = /"((?:[^"\\]|\\.)*)"/uy;
const JSON_WORD = /[^\s,{}[\]"]+/uy;
const JSON_NESTED = /"(?:[^"\\]|\\.)*"|[{}[\]]/gu;
const PAIR = /\s*([\w.@/-]{1,60})=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))/uy;
const PAIRED = /^[\w.@/-]{1,60}=/u;

/** The fields of a line in JSON or logfmt by their name in small letters, not those inside of others. Undefined for any other line. Pure. */
export function fieldsOf(line: string): Fields | undefined {
  if (line.startsWith("{")) return jsonFields(line);
  return PAIRED.test(line) ? pairs(line) : undefined;
}

function pairs(line: string): Fields | undefined {
  const fields = new Map<string, Field>();
  for (let at = 0; ; at = PAIR.lastIndex) {
    PAIR.lastIndex = at;
    const [all, name = "", quoted, bare = ""] = PAIR.exec(line) ?? [];
    if (all === undefined) return fields.size === 0 ? undefined : fields;
    const to = at + all.length - (quoted === undefined ? 0 : 1);
    const value = quoted ?? bare;
    if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), { value, from: to - value.length, to });
  }
}

function jsonFields(line: string): Fields | undefined {
  const fields = new Map<string, Field>();
  for (let at = 0; ;) {
    const key = matchAt(JSON_KEY, line, at);
    if (key === undefined) return fields.size === 0 ? undefined : fields;
    const from = at + key[0].length;
    const quoted = matchAt(JSON_STRING, line, from);
    const all = (quoted ?? matchAt(JSON_WORD, line, from))?.[0] ?? line.slice(from, endOfNested(line, from));
    const inner = quoted === undefined ? 0 : 1;
    const name = (key[1] ?? "").toLowerCase();
    fields.set(name, { value: quoted?.[1] ?? all, from: from + inner, to: from + all.length - inner });
    at = from + all.length;
    while (line[at] === " ") at += 1;
    if (line[at] !== ",") return fields;
  }
}

function matchAt(pattern: RegExp, line: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line) ?? undefined;
}

function endOfNested(line: string, from: number): number {
  JSON_NESTED.lastIndex = from;
  let depth = 0;
  for (let found = JSON_NESTED.exec(line); found !== null; found = JSON_NESTED.exec(line)) {
    if (found[0] === "{" || found[0] === "[") depth += 1;
    if (found[0] === "}" || found[0] === "]") depth -= 1;
    if (depth <= 0) return JSON_NESTED.lastIndex;
  }
  return line.length;
}
