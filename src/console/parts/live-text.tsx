import { useComputed } from "@preact/signals";

/** A text that is made anew when a signal changes that it reads. The component around it is not drawn again. */
export function LiveText({ of }: { of: () => string }) {
  return <>{useComputed(of)}</>;
}
