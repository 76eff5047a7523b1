import { useEffect } from "react"
import { Store } from "../lib/store"
import { withoutHidden } from "../lib/visible"
import { t } from "../words/words"
import { setBadge } from "./badge"
import { needing } from "./given"

/** What the view is about; empty: the app itself. */
const subject = new Store("")

/** The tab's title and icon say in each view how many prompts wait. */
export function startTitle(): void {
  const show = () => {
    const count = needing.get()
    document.title = titleOf(count, withoutHidden(subject.get()), t("app"))
    setBadge(count)
  }
  subject.watch(show)
  needing.watch(show)
  show()
}

export function titleOf(count: number, about: string, app: string): string {
  return (count > 0 ? `(${count}) ` : "") + (about ? `${about} · ${app}` : app)
}

export function useTitle(about: string): void {
  useEffect(() => {
    subject.set(about)
    return () => subject.set("")
  }, [about])
}
