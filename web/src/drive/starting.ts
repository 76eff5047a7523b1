import { Store } from "../lib/store"

/** What a new session goes on with; empty for one of its own. */
export interface Start {
  /** The session to continue. */
  resume?: string
  isFork?: boolean
  machine?: string
  path?: string
  model?: string
  /** What was typed before the dialog was opened. */
  message?: string
}

/** The dialog for a new session; `null` while it is closed. */
export const starting = new Store<Start | null>(null)
