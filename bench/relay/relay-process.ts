import { loadConfig, relayConfig } from "../../src/platform/config";
import { startRelay } from "../../src/relay";
import { answer, ownFigures } from "./child";

/** The relay as it is shipped. */
const started = startRelay(loadConfig(relayConfig));

answer({ port: async () => Number(new URL((await started).url).port), ...ownFigures });
