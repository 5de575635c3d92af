import { effect } from "@preact/signals";
import { filterNames } from "./drone-status";
import type { FleetModel } from "./fleet-model";

/**
 * What is shown and selected is in the address, so that a reload and the way back from another page show it again. Returns
 * what ends that.
 */
export function keepInAddress(fleet: FleetModel): () => void {
  const { searchParams } = new URL(location.href);
  fleet.name.value = searchParams.get("name") ?? "";
  fleet.filter.value = filterNames.find((name) => name === searchParams.get("show")) ?? "all";
  fleet.select(Number(searchParams.get("drone")) || undefined);
  return effect(() => {
    const [name, filter, id] = [fleet.name.value, fleet.filter.value, fleet.selectedId.value];
    const address = new URL(location.href);
    const put = (key: string, value: string) =>
      value === "" ? address.searchParams.delete(key) : address.searchParams.set(key, value);
    put("name", name);
    put("show", filter === "all" ? "" : filter);
    put("drone", id === undefined ? "" : String(id));
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  });
}
