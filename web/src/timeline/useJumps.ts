import { useEffect, useState } from "react"
import { say } from "../state/toast"
import { t } from "../words/words"
import type { Target } from "./model"
import type { TimelineSource } from "./source"
import type { Virtual } from "./useVirtual"

/** To the nearest place of a kind: before (-1) or after (1) the one that was found last. */
export interface Jump {
  target: Target
  step: 1 | -1
}

/** Where the items of a timeline are shown. */
export interface Places {
  /** The row that shows an item; -1: it is not here, or in what is folded. */
  indexOf: (item: string) => number
  /** The item that a row begins with. */
  itemAt: (row: string) => string | undefined
  /** Unfolds what an item is folded in. */
  reveal: (item: string) => void
}

interface Jumps {
  /** The key of the item that was found last. */
  marked: string | null
  /** An item was found and is not in view yet. */
  isMoving: boolean
  /** Goes to a place in the session, without a mark. */
  goTo: (seq: number) => void
}

/** Goes where the person wants to go. */
export function useJumps(source: TimelineSource, jump: Jump | null, at: number | undefined, places: Places, isThere: boolean,
  virtual: Virtual): Jumps {
  const [marked, setMarked] = useState<string | null>(null)
  /** The item to be shown as soon as it is there. */
  const [goal, setGoal] = useState<string | null>(null)
  const find = (item: string) => {
    setMarked(item)
    setGoal(item)
  }
  useEffect(() => {
    // A jump that is asked for before the first page has come waits for it.
    if (!jump || !isThere) return
    let isCurrent = true
    const row = marked === null ? -1 : places.indexOf(marked)
    const isNear = row >= virtual.first && row < virtual.last
    const from = isNear ? marked : virtual.isAtEnd ? null : places.itemAt(virtual.topKey() ?? "") ?? null
    void source.seek(jump.target, from, jump.step).then((found) => {
      if (!isCurrent) return
      if (found === null) say(t("jump.none"))
      else find(found)
    })
    return () => {
      isCurrent = false
    }
  }, [jump, isThere])
  useEffect(() => {
    const found = at === undefined ? undefined : source.itemOf(at)
    if (found) find(found)
  }, [at, isThere])
  useEffect(() => {
    if (goal === null) return
    const index = places.indexOf(goal)
    // It is drawn again with what is unfolded, or once the item is there.
    if (index < 0) return places.reveal(goal)
    setGoal(null)
    virtual.toIndex(index)
    source.isSeeking = false
  }, [goal, places])
  const goTo = (seq: number) => {
    void source.goTo(seq).then(() => {
      const item = source.itemOf(seq)
      if (item !== undefined) setGoal(item)
    })
  }
  return { marked, isMoving: goal !== null, goTo }
}
