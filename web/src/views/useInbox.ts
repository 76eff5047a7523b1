import { useEffect, useLayoutEffect, useRef, useState } from "react"
import { useKeys } from "../lib/keys"
import { useStore } from "../lib/store"
import { given } from "../state/given"
import type { Entry } from "../state/groups"
import { neighbour, openedOf, waitingOf } from "../state/inbox"

export interface Inbox {
  /** The prompt whose card is open; `null`: none waits. */
  opened: string | null
  /** How many wait, and which of them is open, from 1; 0: none. */
  count: number
  place: number
  show: (id: string) => void
  step: (step: 1 | -1) => void
}

/** Which of the prompts in a list is open. A person goes on by buttons, keys and swipes; nothing opens under a finger by itself. */
export function useInbox(shown: readonly Entry[], isHere: boolean): Inbox {
  const answers = useStore(given)
  const [chosen, setChosen] = useState<string | null>(null)
  const opened = openedOf(shown, chosen, answers)
  const wanted = useRef<string | null>(null)
  useEffect(() => {
    if (opened !== chosen) setChosen(opened)
  }, [opened])
  useLayoutEffect(() => {
    if (wanted.current === null || wanted.current !== opened) return
    const card = document.getElementById(opened)
    wanted.current = null
    card?.focus({ preventScroll: true })
    card?.scrollIntoView({ block: "nearest" })
  })
  const show = (id: string) => {
    wanted.current = id
    setChosen(id)
  }
  const step = (by: 1 | -1) => {
    const next = neighbour(shown, opened, by, answers)
    if (next !== null && next !== opened) show(next)
  }
  useKeys(isHere ? { ArrowRight: () => step(1), ArrowLeft: () => step(-1) } : {})
  const waiting = waitingOf(shown, answers)
  return { opened, count: waiting.length, place: waiting.findIndex((prompt) => prompt.id === opened) + 1, show, step }
}
