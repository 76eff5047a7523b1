import { useCallback, useMemo, useState } from "react"
import { fold } from "./fold"
import { foldedLines, logLines, type Choices, type Laid, type Line } from "./lines"
import type { Item } from "./model"
import type { Places } from "./useJumps"

export interface Lines {
  lines: readonly Line[]
  keys: readonly string[]
  places: Places
  /** The row that shows an item; it may be the head of what the item is folded in. */
  rowOf: (item: string) => string | undefined
  toggle: (line: Line) => void
}

/** The rows of the timeline, as a conversation or as a log, with what the person has opened. */
export function useLines(items: readonly Item[], isLog: boolean): Lines {
  const [choices, setChoices] = useState<Choices>(new Map())
  const entries = useMemo(() => isLog ? null : fold(items), [items, isLog])
  const laid = useMemo(() => entries ? foldedLines(entries, choices) : logLines(items, choices), [entries, items, choices])
  const keys = useMemo(() => laid.lines.map((line) => line.key), [laid])
  const toggle = useCallback((line: Line) => setChoices((was) => new Map(was).set(line.key, !line.isOpen)), [])
  const rowOf = (item: string) => homeOf(laid, items, item)?.line
  const places = useMemo<Places>(() => {
    const rows = new Map(keys.map((key, index) => [key, index]))
    return {
      indexOf: (item) => {
        const home = homeOf(laid, items, item)
        return home === undefined || home.inside.some((key) => !rows.has(key)) ? -1 : rows.get(home.line) ?? -1
      },
      itemAt: (row) => laid.lines[rows.get(row) ?? -1]?.first.key,
      reveal: (item) => {
        const inside = homeOf(laid, items, item)?.inside ?? []
        if (inside.some((key) => choices.get(key) !== true)) setChoices((was) => new Map([...was, ...inside.map((key): [string, boolean] => [key, true])]))
      },
    }
  }, [laid, keys, items, choices])
  return { lines: laid.lines, keys, places, rowOf, toggle }
}

/** Where an item is shown. What the conversation leaves out stands where the item before it does. `undefined`: it is not here. */
function homeOf({ homes }: Laid, items: readonly Item[], item: string) {
  const home = homes.get(item)
  if (home) return home
  const index = items.findIndex((one) => one.key === item)
  for (let at = index; at >= 0; at--) {
    const before = homes.get(items[at]!.key)
    if (before) return before
  }
  const next = index < 0 ? undefined : items.find((one) => homes.has(one.key))
  return next && homes.get(next.key)
}
