import { useSignal } from "@preact/signals";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import { OrderButton } from "./order-button";
import type { OpenSheet } from "./sheets";
import "./order-panel.css";

const text = strings.fly.orders;

/** Every order at a place of its own. What needs more than a press opens a sheet over the map. */
export function OrderPanel({ open }: { open: OpenSheet }) {
  const { orders } = useFlown();
  return (
    <section class="order-panel" aria-label={text.title}>
      <OrderButton
        label={text.stop}
        hint={orders.modes.value?.stopping ?? text.hints.stop}
        class="stop"
        onOrder={() => orders.stopHere()}
      />
      <OrderButton
        label={text.land}
        hint={text.hints.hold}
        why={orders.whyNotLand.value}
        isHeld
        onOrder={() => orders.land()}
      />
      <OrderButton
        label={text.returnHome}
        hint={text.hints.hold}
        why={orders.whyNotReturn.value}
        isHeld
        onOrder={() => orders.returnHome()}
      />
      <OrderButton
        label={text.takeOff}
        hint={text.hints.height}
        why={orders.whyNotTakeOff.value}
        onOrder={() => open({ kind: "take-off" })}
      />
      <OrderButton
        label={text.goTo}
        hint={text.hints.position}
        why={orders.whyNotGo.value}
        onOrder={() => open({ kind: "go-to" })}
      />
      <OrderButton
        label={text.arm}
        hint={text.hints.hold}
        why={orders.whyNotArm.value}
        isHeld
        onOrder={() => orders.arm()}
      />
      <OrderButton
        label={text.disarm}
        hint={orders.mayDisarm.value ? text.hints.onGround : text.hints.inTheAir}
        why={orders.whyNotDisarm.value}
        onOrder={() => (orders.mayDisarm.value ? void orders.disarm() : open({ kind: "stop-motors" }))}
      />
      <ModeOrder />
      <h2>{text.mission}</h2>
      <OrderButton label={text.push} hint={text.hints.push} onOrder={() => open({ kind: "push" })} />
      <OrderButton
        label={text.start}
        hint={text.hints.hold}
        why={orders.whyNotStart.value}
        isHeld
        onOrder={() => orders.startMission()}
      />
      <OrderButton
        label={text.pause}
        hint={orders.modes.value?.stopping ?? text.hints.stop}
        why={orders.whyNotGo.value}
        onOrder={() => orders.stopHere(text.pause)}
      />
      <OrderButton
        label={text.continue}
        hint={text.hints.hold}
        why={orders.whyNotContinue.value}
        isHeld
        onOrder={() => orders.continueMission()}
      />
    </section>
  );
}

function ModeOrder() {
  const { orders } = useFlown();
  const chosen = useSignal("");
  const modes = orders.modes.value?.modes ?? [];
  const bySticks = modes.filter(({ sticks }) => sticks);
  const others = modes.filter(({ sticks }) => !sticks);
  const group = (label: string, names: typeof modes) => (
    <optgroup label={label}>
      {names.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </optgroup>
  );
  return (
    <div class="mode-order field">
      <select
        aria-label={text.mode}
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = currentTarget.value;
        }}
      >
        <option value="">{modes.length === 0 ? text.modesUnknown : text.chooseMode}</option>
        {bySticks.length > 0 && group(text.modesBySticks, bySticks)}
        {others.length > 0 && group(text.otherModes, others)}
      </select>
      <button
        type="button"
        aria-disabled={chosen.value === ""}
        onClick={() => chosen.value !== "" && void orders.setMode(chosen.value)}
      >
        {text.setMode}
      </button>
    </div>
  );
}
