import { Store } from "../../lib/store"

/** How changes are shown: one below the other, or old and new side by side. */
export type Layout = "unified" | "sides"

const storeKey = "monitor.diff"

export const layout = new Store<Layout>(localStorage.getItem(storeKey) === "sides" ? "sides" : "unified")

export function chooseLayout(next: Layout): void {
  layout.set(next)
  localStorage.setItem(storeKey, next)
}
