/** A pause that can be cut short. */
export type Rest = { readonly take: (ms: number) => Promise<void>; readonly end: () => void };

export function makeRest(): Rest {
  let wake: (() => void) | undefined;
  return {
    async take(ms) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    },
    end: () => wake?.(),
  };
}
