import type { FormShape } from "../../forms/make-form.ts";

const LONGEST = 100;

/** Each time it says the whole binding: what is left empty is not bound. */
export const useForm: FormShape = {
  title: "Bind this channel",
  submit: "Bind",
  fields: () => [
    {
      id: "region",
      label: "Region",
      hint: "Meant for services when nothing else is said here.",
      isOptional: true,
      input: { kind: "region" },
    },
    {
      id: "names",
      label: "Names",
      hint: "Only these are listed and suggested; * stands for any characters.",
      placeholder: "shop-*",
      isOptional: true,
      input: { kind: "text", maxLength: LONGEST },
    },
    {
      id: "account",
      label: "Account",
      hint: "The user name of the account that Gantry acts with here.",
      isOptional: true,
      input: { kind: "text", maxLength: LONGEST },
    },
    {
      id: "lock",
      label: "Lock",
      isOptional: true,
      input: { kind: "tick", text: "Refuse other regions and other names here" },
    },
    {
      id: "clear",
      label: "Take the binding away",
      isOptional: true,
      isMore: true,
      input: { kind: "tick", text: "Bind this channel to nothing" },
    },
  ],
};
