import { Store } from "../lib/store"

/** What an open tab does when a prompt comes and nobody looks at the page. */
export interface TabNotices {
  isShown: boolean
  isHeard: boolean
}

const key = "monitor.notices"
const none: TabNotices = { isShown: false, isHeard: false }

/** Whether a person has chosen any of it in this browser. */
export function hasTabNotices(): boolean {
  return localStorage.getItem(key) !== null
}

export const tabNotices = new Store<TabNotices>(read())

function read(): TabNotices {
  try {
    return { ...none, ...JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<TabNotices> }
  } catch {
    return none
  }
}

export function chooseTabNotices(chosen: TabNotices): void {
  localStorage.setItem(key, JSON.stringify(chosen))
  tabNotices.set(chosen)
}

/** Other tabs of this browser choose for all. */
export function followTabChoice(): void {
  window.addEventListener("storage", (event) => {
    if (event.key === key) tabNotices.set(read())
  })
}
