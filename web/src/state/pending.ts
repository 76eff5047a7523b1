import { Store } from "../lib/store"

/** Changes of the list on the screen that wait because a person works in it; the head of the view shows and applies them. */
export const pending = new Store<{ count: number; apply: () => void } | null>(null)
