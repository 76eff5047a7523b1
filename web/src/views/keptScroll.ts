import { useLayoutEffect, useRef, type Ref } from "react"

const pauseMilliseconds = 150
/** How long what is read later may still make room for the place. */
const patienceMilliseconds = 3_000

/**
 * Keeps how far a view is scrolled in the history, so that back and reload lead to the same place.
 * @param page what the view shows, if it shows several things one after another
 */
export function useKeptScroll<T extends HTMLElement>(isReady = true, page = ""): Ref<T> {
  const view = useRef<T>(null)
  useLayoutEffect(() => {
    const element = view.current
    if (!element || !isReady) return
    const wanted = (history.state as { scroll?: number } | null)?.scroll ?? 0
    const until = performance.now() + patienceMilliseconds
    let isRestoring = wanted > 0
    const restore = () => {
      if (!isRestoring || performance.now() > until) return
      element.scrollTop = wanted
      isRestoring = element.scrollTop < wanted - 1
    }
    element.scrollTop = wanted
    restore()
    const grown = new ResizeObserver(restore)
    for (const child of element.children) grown.observe(child)
    let timer = 0
    const keep = () => {
      timer = 0
      history.replaceState({ ...(history.state as object | null), scroll: element.scrollTop }, "")
    }
    const scrolled = () => {
      if (!isRestoring && !timer) timer = window.setTimeout(keep, pauseMilliseconds)
    }
    const touched = () => {
      isRestoring = false
    }
    element.addEventListener("scroll", scrolled, { passive: true })
    element.addEventListener("wheel", touched, { passive: true })
    element.addEventListener("pointerdown", touched)
    return () => {
      clearTimeout(timer)
      grown.disconnect()
      element.removeEventListener("scroll", scrolled)
      element.removeEventListener("wheel", touched)
      element.removeEventListener("pointerdown", touched)
    }
  }, [isReady, page])
  return view
}
