/** The nearest scrolling box around an element. */
export function boxOf(element: Element): HTMLElement {
  for (let at = element.parentElement; at; at = at.parentElement) if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  return document.documentElement
}

/** Room for the heads that stay in view. */
const room = 120

/** Where the last step led. */
let last: HTMLElement | undefined

/** Goes to the next change, or to the one before. Returns whether there was one. */
export function stepChange(area: HTMLElement | null, step: 1 | -1): boolean {
  const hunks = [...area?.querySelectorAll<HTMLElement>(".hunk") ?? []]
  const first = hunks[0]
  if (!first) return false
  const box = boxOf(first)
  const view = box.getBoundingClientRect()
  const top = Math.max(0, view.top) + room
  const places = hunks.map((hunk) => hunk.getBoundingClientRect().top - top)
  const known = last ? hunks.indexOf(last) : -1
  const isInView = known >= 0 && places[known]! > -room && places[known]! < view.height - room
  const after = isInView ? known + 1 : places.findIndex((place) => place > 8)
  const before = isInView ? known - 1 : places.filter((place) => place < -8).length - 1
  const next = step > 0 ? after : before
  const target = next < 0 ? undefined : hunks[next]
  last = target
  if (!target) return false
  box.scrollTop += places[next]!
  // One that is far is drawn when it is in view.
  const focused = target.querySelector<HTMLElement>(".diff") ?? target
  focused.focus({ preventScroll: true })
  return true
}

/** Shows the change at a line of the file as it is now, or the one nearest to it. */
export function showLine(area: HTMLElement | null, line: number): void {
  const hunks = [...area?.querySelectorAll<HTMLElement>(".hunk") ?? []]
  const before = hunks.filter((hunk) => Number(hunk.dataset.line) <= line)
  const target = before[before.length - 1] ?? hunks[0]
  if (!target) return
  const box = boxOf(target)
  const own = target.querySelector<HTMLElement>(`[data-n="${line}"].fresh`) ?? target
  box.scrollTop += own.getBoundingClientRect().top - Math.max(0, box.getBoundingClientRect().top) - room
}
