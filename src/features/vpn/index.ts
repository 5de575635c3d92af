export { allocateAddress } from "./addresses.store";
