/** The build of hls.js without subtitles, further sounds and encryption. The package has types of the whole one only. */
declare module "hls.js/light" {
  export { default } from "hls.js";
}
