import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { strings } from "../strings";
import { errorText } from "./error-text";

export interface Loaded<Data> {
  /** Undefined until it came the first time. A failed reload keeps it. A page may set what it changed itself. */
  readonly data: Signal<Data | undefined>;
  /** Why the last load failed, or empty. */
  readonly failure: ReadonlySignal<string>;
  readonly reload: () => Promise<void>;
}

/** Loads when the component is first shown, and again when one of `inputs` changes. A load that was overtaken is ignored. */
export function useLoaded<Data>(load: () => Promise<Data>, inputs: readonly unknown[] = []): Loaded<Data> {
  const data = useSignal<Data | undefined>(undefined);
  const failure = useSignal("");
  const newest = useRef(0);
  const reload = useCallback(async () => {
    const mine = ++newest.current;
    try {
      const found = await load();
      if (mine !== newest.current) return;
      failure.value = "";
      data.value = found;
    } catch (error) {
      if (mine === newest.current) failure.value = errorText(error);
    }
  }, inputs);
  useEffect(() => {
    void reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);
  return { data, failure, reload };
}

interface ShowLoadedProps<Data> {
  readonly of: Loaded<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** What was loaded; that it loads; or why that failed, with a button that tries again. */
export function ShowLoaded<Data>({ of: { data, failure, reload }, children }: ShowLoadedProps<Data>) {
  return (
    <>
      <Failure text={failure.value} retry={reload} />
      {data.value !== undefined ? children(data.value) : failure.value === "" && <p>{strings.loading}</p>}
    </>
  );
}

interface FailureProps {
  /** Nothing is shown when it is empty. */
  readonly text: string;
  readonly retry?: (() => void) | undefined;
}

export const Failure = ({ text, retry }: FailureProps) => (
  <p role="alert" class="failure" hidden={text === ""}>
    {text}{" "}
    {retry && text !== "" && (
      <button type="button" onClick={() => retry()}>
        {strings.errors.tryAgain}
      </button>
    )}
  </p>
);
