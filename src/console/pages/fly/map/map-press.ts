import type { MapLibreMap, MapMouseEvent, MapTouchEvent } from "maplibre-gl";
import { useEffect, useRef } from "preact/hooks";
import type { LatLng } from "../../../map/features";

/** As long as a browser's own long press. */
const LONG_MS = 600;
/** Pixels. A finger is never quite still. */
const STILL = 12;

/** Calls the function for a context menu and for a long press, which not every browser makes a context menu. */
export function useMapPress(map: MapLibreMap, onPress: (position: LatLng) => void): void {
  const newest = useRef(onPress);
  newest.current = onPress;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let began = { x: 0, y: 0 };
    let pressedAt = Number.NEGATIVE_INFINITY;
    const press = ({ lat, lng }: LatLng) => {
      // One finger may be both.
      if (performance.now() - pressedAt < LONG_MS) return;
      pressedAt = performance.now();
      newest.current({ lat, lng });
    };
    const end = () => clearTimeout(timer);
    const menu = ({ lngLat, originalEvent }: MapMouseEvent) => {
      originalEvent.preventDefault();
      end();
      press(lngLat);
    };
    const touch = ({ points, point, lngLat }: MapTouchEvent) => {
      end();
      began = point;
      if (points.length === 1) timer = setTimeout(() => press(lngLat), LONG_MS);
    };
    const move = ({ point }: MapTouchEvent) => {
      if (Math.hypot(point.x - began.x, point.y - began.y) > STILL) end();
    };
    map.on("contextmenu", menu);
    map.on("touchstart", touch);
    map.on("touchmove", move);
    map.on("touchend", end);
    map.on("touchcancel", end);
    return () => {
      end();
      map.off("contextmenu", menu);
      map.off("touchstart", touch);
      map.off("touchmove", move);
      map.off("touchend", end);
      map.off("touchcancel", end);
    };
  }, [map]);
}
