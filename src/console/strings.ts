/** Every text of the console. Errors of requests are the API's own words. */
export const strings = {
  product: "Fleet Gateway",
  /** Of the browser's tab. */
  titleOf: (page: string) => `${page} – Fleet Gateway`,
  skipToContent: "Skip to the content",
  goBackToSignIn: "Back to sign in",
  loading: "Loading…",
  close: "Close",
  cancel: "Cancel",
  pages: {
    title: "Pages",
    fleet: "Fleet",
    plans: "Plan",
    flights: "Flights",
    calendar: "Calendar",
    account: "Account",
  },
  connection: {
    lost: (age: string) => `No connection to the gateway since ${age}. What is shown is from then.`,
    offline: (age: string) => `This device is offline since ${age}. What is shown is from then.`,
  },
  units: { toImperial: "Imperial units", toMetric: "Metric units" },
  map: {
    showAll: "Show all",
    home: "H",
    baseMapFailed: "The base map does not load.",
    /** By MapLibre's names. */
    controls: {
      "NavigationControl.ZoomIn": "Zoom in",
      "NavigationControl.ZoomOut": "Zoom out",
      "AttributionControl.ToggleAttribution": "Sources of the map",
      "ScaleControl.Feet": "ft",
      "ScaleControl.Meters": "m",
      "ScaleControl.Kilometers": "km",
      "ScaleControl.Miles": "mi",
      "ScaleControl.NauticalMiles": "nm",
    },
  },
  orders: {
    title: "Orders",
    noReply: "No reply came. The order may have been carried out or not: look before you repeat it.",
    ago: (age: string) => `${age} ago`,
    outcomes: {
      pending: "under way",
      done: "done",
      refused: "refused",
      unknown: "unknown: look before you repeat",
    },
  },

  theme: { toDark: "Dark colours", toLight: "Light colours" },

  fields: {
    email: "Email",
    password: "Password",
    newPassword: "New password",
    passwordRule: "8 to 128 characters",
    showPassword: "Show the password",
    hidePassword: "Hide the password",
  },

  errors: {
    unreachable: "The gateway does not answer. Check the connection and try again.",
    unexpected: "Something went wrong on this page.",
    tryAgain: "Try again",
    reload: "Load the page again",
  },

  signIn: {
    title: "Sign in",
    submit: "Sign in",
    busy: "Signing in…",
    forgot: "Forgot your password?",
    register: "Create an account",
    expired: "Your session has ended. Sign in to go on where you were.",
  },
  signOut: "Sign out",

  register: {
    title: "Create an account",
    intro: "We send a link to your address. It leads to the choice of a password.",
    submit: "Send the link",
    busy: "Sending…",
  },
  forgotPassword: {
    title: "Forgotten password",
    intro: "We send a link to your address. It leads to the choice of a new password.",
    submit: "Send the link",
    busy: "Sending…",
  },
  resetPassword: {
    title: "Set a new password",
    firstTitle: "Choose a password",
    submit: "Set the password",
    busy: "Setting…",
    incomplete: "This link is incomplete. Open it from the mail again, or ask for a new one.",
    askAgain: "Ask for a new link",
  },
  activate: {
    title: "Activate your account",
    intro: "Your account is ready. Activate it to sign in.",
    submit: "Activate",
    busy: "Activating…",
  },
  billing: {
    title: "Your payment",
    processing:
      "The payment is being processed. The number of vehicles changes as soon as it is confirmed, usually within a minute.",
    home: "To your fleet",
  },

  fleet: {
    title: "Fleet",
    none: "You have no drones yet.",
    count: (count: number) => (count === 1 ? "1 drone" : `${count} drones`),
    name: "Name",
    vehicle: "Vehicle",
    kind: "Type",
    kinds: { physical: "Physical", sitl: "Simulated" },
    vehicles: { copter: "Copter", rover: "Rover" },
  },

  fly: { title: "Fly" },

  plan: { title: "Plan" },

  flights: { title: "Flights" },

  calendar: { title: "Calendar" },

  account: { title: "Account" },

  notFound: { title: "Page not found", text: "There is no page at this address.", home: "To your fleet" },
} as const;
