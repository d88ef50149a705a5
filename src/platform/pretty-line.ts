const levels: Readonly<Record<number, readonly [name: string, colour: number]>> = {
  10: ["TRACE", 90],
  20: ["DEBUG", 90],
  30: ["INFO", 32],
  40: ["WARN", 33],
  50: ["ERROR", 31],
  60: ["FATAL", 35],
};

/**
 * A line of the log for a terminal: time, level, message, then the data, and below it the stack of an error. Text from
 * outside can't move the cursor: control characters stay escaped. A line that isn't a JSON object stays as it is.
 */
export function prettyLine(line: string, isColoured: boolean): string {
  const entry = objectIn(line);
  if (entry === undefined) return line;
  const { level, time, msg, err, ...data } = entry;
  const [name, colour] = levels[Number(level)] ?? ["?", 0];
  const paint = (code: number, text: string): string => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
  const clock = /T(\d\d:\d\d:\d\d\.\d{3})Z$/u.exec(String(time))?.[1] ?? String(time);
  const fields = Object.entries(data).map(([key, value]) => `${paint(90, `${escaped(key)}=`)}${valueOf(value)}`);
  const words = [
    paint(90, escaped(clock)),
    paint(colour, name.padEnd(5)),
    escaped(typeof msg === "string" ? msg : ""),
    ...fields,
  ];
  return `${[words.join(" "), ...stackOf(err).map((each) => `    ${each}`)].join("\n")}\n`;
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function valueOf(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/u.test(value)) return value;
  return escaped(JSON.stringify(value) ?? "");
}

/** Of an error in the log; pino writes its type, message and stack. */
function stackOf(err: unknown): readonly string[] {
  if (typeof err !== "object" || err === null) return err === undefined ? [] : [valueOf(err)];
  const { stack, message } = { stack: undefined, message: undefined, ...err };
  const text = typeof stack === "string" ? stack : typeof message === "string" ? message : JSON.stringify(err);
  return text.split("\n").map(escaped);
}

/** Also those control characters that JSON leaves as they are. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
