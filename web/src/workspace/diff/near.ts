import { boxOf } from "./stepChange"

/** How far beyond what the box shows is near: some turns of a wheel. */
const margin = "1500px 0px"
const watches = new WeakMap<Element, IntersectionObserver>()
const calls = new WeakMap<Element, () => void>()

/** Calls back when the element comes near to what the scrolling box around it shows. Returns what ends the watch. */
export function whenNear(element: Element, call: () => void): () => void {
  const box = boxOf(element)
  let watch = watches.get(box)
  if (!watch) {
    const seen = (entries: IntersectionObserverEntry[]) => entries.forEach(({ target, isIntersecting }) => isIntersecting && calls.get(target)?.())
    watch = new IntersectionObserver(seen, { root: box === document.documentElement ? null : box, rootMargin: margin })
    watches.set(box, watch)
  }
  const own = watch
  calls.set(element, call)
  own.observe(element)
  return () => own.unobserve(element)
}
