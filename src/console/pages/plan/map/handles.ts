import type { LngLat, MapLibreMap, MapMouseEvent, MapTouchEvent, PointLike } from "maplibre-gl";
import type { LatLng } from "../../../map/features";

/** What is grabbed on the map: a point, or the place between the point of that key and the next. */
export interface Handle {
  readonly kind: "point" | "between";
  readonly key: number;
}

interface HandleEvents {
  /** Its exact position; what the map has of it is rounded. */
  positionOf(handle: Handle): LatLng | undefined;
  onDrag(handle: Handle, position: LatLng): void;
  /** Of a drag, whether it was dropped or given up. */
  onEnd(): void;
  onDrop(handle: Handle, position: LatLng): void;
  onTap(handle: Handle, position: LatLng): void;
  /** On the map, and on no handle. */
  onTapBeside(position: LatLng): void;
}

/** Pixels around the pointer in which a handle is hit: a mouse, and a finger in a glove. */
const MOUSE_REACH = 8;
const TOUCH_REACH = 22;
/** Pixels that a pointer moves before it drags. */
const DRAG_FROM = 5;

interface Grab {
  readonly handle: Handle;
  readonly at: LatLng;
  /** Where the pointer went down, in pixels, and from there to the handle. */
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
  isDrag: boolean;
  position: LatLng;
}

type PointerEvent = MapMouseEvent | MapTouchEvent;

/** Lets handles of these layers (of points, and of places between) be dragged and tapped. Returns what ends that. */
export function watchHandles(
  map: MapLibreMap,
  layers: readonly [string, string],
  on: HandleEvents,
): () => void {
  let grab: Grab | undefined;
  const canvas = map.getCanvas();

  const find = ({ x, y }: { x: number; y: number }, reach: number): Handle | undefined => {
    const box: [PointLike, PointLike] = [
      [x - reach, y - reach],
      [x + reach, y + reach],
    ];
    const hits = map.queryRenderedFeatures(box, { layers: [...layers] }).map(({ layer, properties }) => {
      const handle: Handle = { kind: layer.id === layers[0] ? "point" : "between", key: properties.key };
      const at = on.positionOf(handle);
      const pixel = at && map.project([at.lng, at.lat]);
      return { handle, distance: pixel ? Math.hypot(pixel.x - x, pixel.y - y) : Number.POSITIVE_INFINITY };
    });
    // A point before a place between, which may lie below it.
    hits.sort(
      (a, b) =>
        Number(a.handle.kind === "between") - Number(b.handle.kind === "between") || a.distance - b.distance,
    );
    return hits[0]?.handle;
  };

  const take = (event: PointerEvent, reach: number) => {
    const handle = find(event.point, reach);
    const at = handle && on.positionOf(handle);
    if (!handle || !at) return;
    // The map stays where it is.
    event.preventDefault();
    const pixel = map.project([at.lng, at.lat]);
    const { x, y } = event.point;
    grab = { handle, at, x, y, dx: pixel.x - x, dy: pixel.y - y, isDrag: false, position: at };
  };
  const move = ({ point: { x, y } }: PointerEvent) => {
    if (!grab) return;
    grab.isDrag ||= Math.hypot(x - grab.x, y - grab.y) > DRAG_FROM;
    if (!grab.isDrag) return;
    grab.position = toLatLng(map.unproject([x + grab.dx, y + grab.dy]));
    on.onDrag(grab.handle, grab.position);
  };
  const release = () => {
    const released = grab;
    grab = undefined;
    if (!released) return;
    if (!released.isDrag) return on.onTap(released.handle, released.at);
    on.onEnd();
    on.onDrop(released.handle, released.position);
  };
  const giveUp = () => {
    if (grab?.isDrag) on.onEnd();
    grab = undefined;
  };

  const onMouseDown = (event: MapMouseEvent) => {
    if (event.originalEvent.button === 0) take(event, MOUSE_REACH);
  };
  const onTouchStart = (event: MapTouchEvent) => {
    if (event.points.length > 1) giveUp();
    else take(event, TOUCH_REACH);
  };
  const onTouchMove = (event: MapTouchEvent) => {
    if (grab) event.preventDefault();
    move(event);
  };
  const onMouseMove = (event: MapMouseEvent) => {
    move(event);
    if (!grab) canvas.style.cursor = find(event.point, MOUSE_REACH) ? "pointer" : "";
  };
  const onClick = (event: MapMouseEvent) => {
    const isTouch = (event.originalEvent as { pointerType?: string }).pointerType === "touch";
    // A handle was tapped when the pointer went up.
    if (!find(event.point, isTouch ? TOUCH_REACH : MOUSE_REACH)) on.onTapBeside(toLatLng(event.lngLat));
  };
  const onKey = ({ key }: KeyboardEvent) => key === "Escape" && giveUp();

  map.on("mousedown", onMouseDown);
  map.on("mousemove", onMouseMove);
  map.on("touchstart", onTouchStart);
  map.on("touchmove", onTouchMove);
  map.on("touchend", release);
  map.on("touchcancel", giveUp);
  map.on("click", onClick);
  // A mouse may be released outside of the map.
  addEventListener("mouseup", release);
  addEventListener("keydown", onKey);
  return () => {
    map.off("mousedown", onMouseDown);
    map.off("mousemove", onMouseMove);
    map.off("touchstart", onTouchStart);
    map.off("touchmove", onTouchMove);
    map.off("touchend", release);
    map.off("touchcancel", giveUp);
    map.off("click", onClick);
    removeEventListener("mouseup", release);
    removeEventListener("keydown", onKey);
  };
}

/** Seven decimals, as vehicles keep them. A map that was moved around the globe counts further. */
export function toLatLng(position: LngLat): LatLng {
  const { lat, lng } = position.wrap();
  return { lat: round(lat), lng: round(lng) };
}

const round = (degrees: number): number => Number(degrees.toFixed(7));
