/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
type Requirement = {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
};

type Labels = Readonly<Record<string, string>>;

/** The `selector` of an object. */
export type ObjectSelector = {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
};

const KEY = "(?<key>[A-Za-z0-9](?:[A-Za-z0-9./_-]*[A-Za-z0-9])?)";
const forms: readonly { readonly form: RegExp; readonly operator: Requirement["operator"] }[] = [
  { form: new RegExp(`^${KEY}\\s*==?\\s*(?<value>[A-Za-z0-9._-]*)$`, "u"), operator: "In" },
  { form: new RegExp(`^${KEY}\\s*!=\\s*(?<value>[A-Za-z0-9._-]*)$`, "u"), operator: "NotIn" },
  { form: new RegExp(`^${KEY}\\s+in\\s*\\((?<value>[A-Za-z0-9._,\\s-]*)\\)$`, "u"), operator: "In" },
  { form: new RegExp(`^${KEY}\\s+notin\\s*\\((?<value>[A-Za-z0-9._,\\s-]*)\\)$`, "u"), operator: "NotIn" },
  { form: new RegExp(`^!\\s*${KEY}$`, "u"), operator: "DoesNotExist" },
  { form: new RegExp(`^${KEY}$`, "u"), operator: "Exists" },
];

/** Reads `tier=web,env in (a, b),!internal`, as kubectl does. Throws an Error with a clause that names the wrong part. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  // Commas also stand between the values of a set.
  const parts = text.split(/,(?![^(]*\))/u).map((part) => part.trim());
  return parts.map((part) => {
    for (const { form, operator } of forms) {
      const groups = form.exec(part)?.groups;
      const { key, value } = groups ?? {};
      if (key === undefined) continue;
      return { key, operator, values: value === undefined ? [] : value.split(",").map((each) => each.trim()) };
    }
    throw new Error(`"${part}" is no label selector: write key=value, key!=value, key in (a,b), key or !key`);
  });
}

export function matchesAll(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every((requirement) => matches(requirement, labels));
}

/** An operator of a newer cluster matches nothing. */
export function selects({ matchLabels, matchExpressions }: ObjectSelector, labels: Labels): boolean {
  if (Object.entries(matchLabels).some(([key, value]) => labels[key] !== value)) return false;
  return matchExpressions.every((expression) => matches(expression, labels));
}

/** The same as a query has it. https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
export function selectorText({ matchLabels, matchExpressions }: ObjectSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${values.join(",")})`;
  });
  return [...equal, ...expressions].join(",");
}

function matches({ key, operator, values }: ObjectSelector["matchExpressions"][number], labels: Labels): boolean {
  const value = labels[key];
  if (operator === "In") return value !== undefined && values.includes(value);
  if (operator === "NotIn") return value === undefined || !values.includes(value);
  if (operator === "Exists") return value !== undefined;
  return operator === "DoesNotExist" && value === undefined;
}
