/** The dependencies of functions that are called with the same object: `DepsOf<typeof accept | typeof answerRead>`. */
export type DepsOf<Fn extends (deps: never, ...rest: never) => unknown> = (
  Fn extends (deps: infer Deps, ...rest: never) => unknown ? (deps: Deps) => void : never
) extends (deps: infer All) => void
  ? All
  : never;
