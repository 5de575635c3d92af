import { useEffect } from "preact/hooks";
import type { LatLng } from "../../../map/features";
import { useMap } from "../../../map/map-context";
import { toLatLng } from "./handles";

/** Lets the tools around the map ask what is in its middle. */
export function MiddleOfMap({ middle }: { middle: { current: (() => LatLng) | undefined | null } }) {
  const map = useMap();
  useEffect(() => {
    middle.current = () => toLatLng(map.getCenter());
    return () => {
      middle.current = undefined;
    };
  }, [map]);
  return null;
}
