/**
 * What an answer is read as, tied to the generated types: this doesn't compile while the spec lacks a field that is read,
 * or has another type for it. The compiler's message names the field.
 */
export type Tied<Read, Untrue extends never> = Read | Untrue;

/** The fields of `Read` that `Spec` doesn't have, or not with this type: a union of sentences. */
export type Differences<Read, Spec, Path extends string = ""> = [Read] extends [readonly (infer Item)[]]
  ? [Spec] extends [readonly (infer Other)[]]
    ? Differences<Item, Other, `${Path}[]`>
    : `${Path} is no list in the spec`
  : keyof Named<Read> extends never
    ? [Spec] extends [Read]
      ? never
      : `${Path} has another type in the spec`
    : { [Name in keyof Named<Read>]-?: OfField<Named<Read>, Spec, Name, Path> }[keyof Named<Read>];

type OfField<Read, Spec, Name extends keyof Read, Path extends string> = Name extends KeyIn<Spec> & string
  ? Differences<NonNullable<Read[Name]>, NonNullable<ValueIn<Spec, Name>>, `${Path}.${Name}`>
  : `${Path}.${Name & string} isn't in the spec`;

/** Without what a loose object keeps beside the fields that it reads. */
type Named<Type> = Type extends object
  ? { [Name in keyof Type as string extends Name ? never : Name]: Type[Name] }
  : {};

type KeyIn<Spec> = Spec extends unknown ? keyof Spec : never;
type ValueIn<Spec, Name extends string> = Spec extends { [Field in Name]?: infer Value } ? Value : never;
