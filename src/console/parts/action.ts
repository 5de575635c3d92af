import { type ReadonlySignal, useSignal } from "@preact/signals";
import { errorText } from "./error-text";

interface Action {
  readonly isBusy: ReadonlySignal<boolean>;
  /** Why it failed last, or empty. */
  readonly failure: ReadonlySignal<string>;
  /** Does it, unless it is being done. */
  readonly run: (act: () => Promise<void>) => Promise<void>;
}

/** Something that a button does: once at a time, with its failure shown. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const failure = useSignal("");
  const run = async (act: () => Promise<void>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = "";
    try {
      await act();
    } catch (error) {
      failure.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, failure, run };
}
