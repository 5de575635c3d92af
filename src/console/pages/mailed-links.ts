/** Pages that links in mails lead to, and those that ask for such a mail. */
export { default as Activate } from "./activate";
export { default as Billing } from "./billing";
export { default as ForgotPassword } from "./forgot-password";
export { default as Register } from "./register";
export { default as ResetPassword } from "./reset-password";
