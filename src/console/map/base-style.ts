import type { StyleSpecification } from "maplibre-gl";
import { settings } from "../settings";

/** Local fonts of the browser: the map asks no server for glyphs. */
export const FONT = ["sans-serif"];

/** Of a map through which its ground is seen. */
export const plainStyle = (): StyleSpecification => ({ version: 8, sources: {}, layers: [] });

/** What a map shows below everything: the configured style, or nothing, on which the configured file is laid. */
export const baseStyle = (): StyleSpecification | string => settings.mapStyle ?? plainStyle();
