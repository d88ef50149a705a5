import { h, type JSX } from "preact";

/** A labelled menu of the faults panel. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChange: (to: string) => void;
}): JSX.Element {
  const { label, value, options, onChange } = props;
  return h(
    "label",
    { class: "faults" },
    h("span", { class: "fault-name" }, label),
    h(
      "select",
      {
        class: "fault-select",
        value,
        onChange: (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value),
      }, // the select it is set on
      Object.entries(options).map(([name, words]) =>
        h("option", { key: name, value: name, selected: name === value }, words),
      ),
    ),
  );
}
