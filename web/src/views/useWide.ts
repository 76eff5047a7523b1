import { useSyncExternalStore } from "react"

const wide = matchMedia("(min-width: 48rem)")

/** Whether the list and the detail stand side by side. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      wide.addEventListener("change", changed)
      return () => wide.removeEventListener("change", changed)
    },
    () => wide.matches,
  )
}
