import { useEffect } from "react"
import { Store } from "./store"

/** Whether something stands in a form that is not saved. */
const unsaved = new Store(false)

interface Leaving {
  go: () => void
  stay: () => void
}

/** What waits for the person to say whether unsaved input may be lost. */
export const leaving = new Store<Leaving | null>(null)

/** Goes on at once, or once the person has agreed that unsaved input is lost. */
export function leaveIfSaved(go: () => void, stay: () => void = () => undefined): void {
  if (unsaved.get()) leaving.set({ go, stay })
  else go()
}

export function decide(isLeft: boolean): void {
  const asked = leaving.get()
  leaving.set(null)
  if (isLeft) unsaved.set(false)
  if (isLeft) asked?.go()
  else asked?.stay()
}

/** Guards a form's input, also against closing the page. */
export function useUnsaved(is: boolean): void {
  useEffect(() => {
    if (!is) return
    unsaved.set(true)
    const keep = (event: Event) => event.preventDefault()
    window.addEventListener("beforeunload", keep)
    return () => {
      unsaved.set(false)
      window.removeEventListener("beforeunload", keep)
    }
  }, [is])
}
