/** The two answers, also on notices: the service worker has no other words. */
export const actions = {
  en: { "allow.once": "Allow once", deny: "Deny" },
  de: { "allow.once": "Einmal erlauben", deny: "Ablehnen" },
} as const
