import type { ComponentChildren } from "preact";
import { Heading } from "./heading";

interface CardProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page of one small form or message, in the middle. */
export const Card = ({ title, children }: CardProps) => (
  <section class="card">
    <Heading>{title}</Heading>
    {children}
  </section>
);
