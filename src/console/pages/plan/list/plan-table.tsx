import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { strings } from "../../../strings";
import { BIN } from "../editor/icon-button";

interface Named {
  readonly id: number;
  readonly name: string;
}

interface Column<Plan> {
  readonly title: string;
  readonly cell: (plan: Plan) => ComponentChildren;
  /** A narrow window leaves it out. */
  readonly isExtra?: true;
}

interface PlanTableProps<Plan extends Named> {
  readonly plans: readonly Plan[];
  /** What is said when there are none. */
  readonly none: string;
  readonly columns: readonly Column<Plan>[];
  readonly pathOf: (plan: Plan) => string;
  readonly hasDraft: (plan: Plan) => boolean;
  readonly onDelete: (plan: Plan) => void;
}

const text = strings.plan.lists;

/** Plans that are shown at first. */
const FEW = 100;

export function PlanTable<Plan extends Named>(props: PlanTableProps<Plan>) {
  const { plans, none, columns, pathOf, hasDraft, onDelete } = props;
  const shown = useSignal(FEW);
  if (plans.length === 0) return <p>{none}</p>;
  return (
    <>
      <div class="scrolled">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{strings.plan.name}</th>
              {columns.map(({ title, isExtra }) => (
                <th key={title} scope="col" class={isExtra && "extra"}>
                  {title}
                </th>
              ))}
              <th scope="col">
                <span class="visually-hidden">{text.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {plans.slice(0, shown.value).map((plan) => (
              <tr key={plan.id}>
                <th scope="row">
                  <a href={pathOf(plan)}>{plan.name}</a>
                  {hasDraft(plan) && <span class="badge">{text.draft}</span>}
                </th>
                {columns.map(({ title, cell, isExtra }) => (
                  <td key={title} class={isExtra && "extra"}>
                    {cell(plan)}
                  </td>
                ))}
                <td class="row-actions">
                  <button
                    type="button"
                    class="quiet"
                    aria-label={text.deleteOf(plan.name)}
                    title={text.deleteOf(plan.name)}
                    onClick={() => onDelete(plan)}
                  >
                    <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
                      <path d={BIN} />
                    </svg>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {plans.length > shown.value && (
        <button
          type="button"
          onClick={() => {
            shown.value = plans.length;
          }}
        >
          {text.showAll(plans.length)}
        </button>
      )}
    </>
  );
}
