import { useEffect, useRef } from "preact/hooks";
import { strings } from "../strings";

let isFirst = true;

/**
 * The heading of a page, of which each page has one. It names the browser's tab, and takes the focus after a change of the
 * page, so that screen readers say it and the keyboard goes on from there.
 */
export function Heading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = strings.titleOf(children);
  }, [children]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
