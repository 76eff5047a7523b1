import { useCallback, useEffect, useRef } from "react"

/** How many heights of rows that are gone are kept, before they are removed together. */
const forgotten = 2_000

export interface Heights {
  known: Map<string, number>
  /** The reference of a row's element. It measures the row before anything is painted. */
  measure: (key: string) => (element: HTMLElement | null) => void
  /** Whether a height is not what it was when this was asked last. */
  isChanged: () => boolean
}

/**
 * The heights of rows, measured when a row enters the document and whenever it changes its size.
 * @param changed a row in the document has another size
 */
export function useHeights(keys: readonly string[], changed: () => void): Heights {
  const known = useRef(new Map<string, number>()).current
  const refs = useRef(new Map<string, (element: HTMLElement | null) => void>()).current
  const isNew = useRef(false)
  const waits = useRef(false)
  const observer = useRef<ResizeObserver | null>(null)
  observer.current ??= new ResizeObserver((changes) => {
    for (const change of changes) note(change.target as HTMLElement)
    if (!isNew.current || waits.current) return
    waits.current = true
    requestAnimationFrame(() => {
      waits.current = false
      changed()
    })
  })
  const note = (element: HTMLElement) => {
    const { key } = element.dataset
    const height = element.offsetHeight
    if (key === undefined || height === 0 || known.get(key) === height) return
    known.set(key, height)
    isNew.current = true
  }
  const measure = useCallback((key: string) => {
    const made = refs.get(key)
    if (made) return made
    let shown: HTMLElement | null = null
    const reference = (element: HTMLElement | null) => {
      if (shown) observer.current?.unobserve(shown)
      shown = element
      if (!element) {
        refs.delete(key)
        return
      }
      note(element)
      observer.current?.observe(element)
    }
    refs.set(key, reference)
    return reference
  }, [])
  useEffect(() => () => observer.current?.disconnect(), [])
  if (known.size > keys.length + forgotten) {
    const current = new Set(keys)
    for (const key of known.keys()) if (!current.has(key)) known.delete(key)
  }
  const isChanged = () => {
    const is = isNew.current
    isNew.current = false
    return is
  }
  return { known, measure, isChanged }
}
