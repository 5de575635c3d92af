import { distance, height } from "../../../format/units";
import { Failure } from "../../../parts/loaded";
import { strings } from "../../../strings";
import { useFlown } from "../context";

const text = strings.fly.mission;

/** Which mission is on board, and how far it is. */
export function MissionPanel() {
  const { state, orders, onBoard } = useFlown();
  const timed = state.mission.value;
  const { item = null, items = null, distance: metres = null, state: stage = "unknown" } = timed?.value ?? {};
  const climb = orders.missionStart.height.value;
  return (
    <div class="mission" data-old={timed !== undefined && !state.isFresh(timed)}>
      <p class="mission-name">{nameText(onBoard)}</p>
      <progress
        aria-label={text.progress}
        max={items || 1}
        value={stage === "complete" ? (items ?? 0) : (item ?? 1) - 1}
      />
      <dl class="readings">
        <div class="reading">
          <dt>{text.item}</dt>
          <dd>{item === null ? "–" : text.of(item, items)}</dd>
        </div>
        <div class="reading">
          <dt>{text.ahead}</dt>
          <dd>{distance(metres)}</dd>
        </div>
        <div class="reading">
          <dt>{text.state}</dt>
          <dd>{text.states[stage]}</dd>
        </div>
      </dl>
      <p role="status" class="climbs">
        {climb !== undefined && text.climbs(height(climb, 0))}
      </p>
      <Failure text={onBoard.failure.value} retry={() => void onBoard.read()} />
    </div>
  );
}

function nameText({ mission, name, assigned }: ReturnType<typeof useFlown>["onBoard"]): string {
  const onBoard = mission.value;
  if (!onBoard) return text.unread;
  if (onBoard.items.length > 0) {
    if (onBoard.state === "mixed") return text.mixed;
    return onBoard.state === "verified" && name.value !== undefined ? text.named(name.value) : text.other;
  }
  return assigned.value ? text.assigned(assigned.value.name) : text.none;
}
