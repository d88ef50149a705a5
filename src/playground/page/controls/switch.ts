import { h, type JSX } from "preact";

/** A switch with a line of explanation. */
export function Switch(props: {
  readonly label: string;
  readonly detail: string;
  readonly isOn: boolean;
  readonly onChange: (on: boolean) => void;
}): JSX.Element {
  const { label, detail, isOn, onChange } = props;
  return h(
    "label",
    { class: "check fault" },
    h("input", { type: "checkbox", checked: isOn, onChange: () => onChange(!isOn) }),
    h("span", null, h("span", { class: "fault-name" }, label), h("small", null, detail)),
  );
}
