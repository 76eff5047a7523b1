import { useKeys } from "../lib/keys"
import { go } from "../lib/route"
import { homeHash } from "./place"

/** Moves through the sessions and their prompts, and answers the one that has the focus. */
export function useListKeys(onHelp: () => void): void {
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    a: () => press("a"),
    d: () => press("d"),
    g: () => go(homeHash.get()),
    "?": onHelp,
  })
}

function stops(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[role=list] article, [role=list] a.item, main.session article")]
}

function move(step: number): void {
  const all = stops()
  const at = all.findIndex((stop) => stop.contains(document.activeElement))
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

/** The prompt that has the focus; where only one waits, that one. */
function press(key: string): void {
  const focused = document.activeElement?.closest("article")
  const waiting = document.querySelectorAll("article.wait")
  const card = focused ?? (waiting.length === 1 ? waiting[0] : null)
  card?.querySelector<HTMLButtonElement>(`button[data-key="${key}"]:not([disabled])`)?.click()
}
