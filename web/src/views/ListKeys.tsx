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
  }, "ad")
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

/** The prompt that has the focus; where nothing has it and only one waits, that one, if it is in view. */
function press(key: string): void {
  const active = document.activeElement
  const isFree = active === null || active === document.body || active.closest("article, [role=list], dialog") === null
  const waiting = document.querySelectorAll("article.wait")
  const only = isFree && waiting.length === 1 && isInView(waiting[0]!) ? waiting[0] : null
  const card = active?.closest("article.wait") ?? only
  card?.querySelector<HTMLButtonElement>(`button[data-key="${key}"]:not([disabled])`)?.click()
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < window.innerHeight
}
