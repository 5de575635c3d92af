import { runCamera } from "../src/laptop/camera";
import { runProcess } from "../src/platform/process/lifecycle";

runProcess(() => runCamera(process.argv.slice(2), process.env));
