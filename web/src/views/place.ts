import { useEffect, useLayoutEffect, useState } from "react"
import { Store } from "../lib/store"
import { filterOf, hashOf, type Filter } from "./filter"

/** The address of the list as it was shown last, with its filter: where "back" leads. */
export const homeHash = new Store("#/")

/** The filter of the list. Where the list is the view, it stands in the address. */
export function useFilter(isView: boolean): [Filter, (filter: Filter) => void] {
  const [filter, setFilter] = useState<Filter>(() => filterOf(isView ? location.hash : ""))
  useEffect(() => {
    if (!isView) return
    const follow = () => {
      const next = filterOf(location.hash)
      if (!isHome()) return
      homeHash.set(hashOf(next))
      setFilter((known) => hashOf(known) === hashOf(next) ? known : next)
    }
    follow()
    window.addEventListener("hashchange", follow)
    return () => window.removeEventListener("hashchange", follow)
  }, [isView])
  const change = (next: Filter) => {
    setFilter(next)
    homeHash.set(hashOf(next))
    if (isView) history.replaceState(history.state, "", hashOf(next))
  }
  return [filter, change]
}

function isHome(): boolean {
  return /^#?\/?(\?|$)/.test(location.hash)
}

interface Place {
  /** The first session in view, and how far below the top of the view it begins. */
  row: string
  offset: number
  /** The group in which it was: one that has moved to another leads nowhere. */
  group: string
  /** How far the list was scrolled. */
  top: number
}

let last: Place | null = null
let leftSession: string | null = null

/** The person was in this session before the list is shown again. */
export function leaveSession(id: string): void {
  leftSession = id
}

const pauseMilliseconds = 150

/** Shows the list where it was left, also after a reload, with the focus on the session that the person comes from. */
export function usePlace(isReady: boolean): void {
  useLayoutEffect(() => {
    const view = document.querySelector<HTMLElement>(".pane.home")
    if (!isReady || !view) return
    const kept = (history.state as { place?: Place } | null)?.place ?? last
    const row = kept && rowOf(kept.row)
    if (row && kept && groupOf(row) === kept.group) view.scrollTop += row.getBoundingClientRect().top - view.getBoundingClientRect().top - kept.offset
    else if (kept) view.scrollTop = kept.top
    const from = leftSession === null ? null : rowOf(leftSession)
    leftSession = null
    from?.querySelector<HTMLElement>("a.item, [data-prompt]")?.focus({ preventScroll: true })
    let timer = 0
    const keep = () => {
      timer = 0
      last = placeIn(view)
      if (isHome()) history.replaceState({ ...(history.state as object | null), place: last }, "")
    }
    const scrolled = () => {
      timer ||= window.setTimeout(keep, pauseMilliseconds)
    }
    view.addEventListener("scroll", scrolled, { passive: true })
    return () => {
      clearTimeout(timer)
      view.removeEventListener("scroll", scrolled)
    }
  }, [isReady])
}

function rowOf(session: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.pane.home [data-session="${CSS.escape(session)}"]`)
}

function groupOf(row: HTMLElement): string {
  return row.parentElement?.className ?? ""
}

function placeIn(view: HTMLElement): Place | null {
  const top = view.getBoundingClientRect().top
  if (view.scrollTop === 0) return null
  for (const row of view.querySelectorAll<HTMLElement>("[data-session]")) {
    const box = row.getBoundingClientRect()
    if (box.bottom > top) return { row: row.dataset.session ?? "", offset: box.top - top, group: groupOf(row), top: view.scrollTop }
  }
  return null
}
