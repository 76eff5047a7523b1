import type { ReactNode, Ref } from "react"
import { useKeys } from "../../lib/keys"
import { t } from "../../words/words"
import { stepChange } from "./stepChange"

interface Props {
  area: Ref<HTMLElement>
  /** After the last change, and before the first. */
  onEnd?: (step: 1 | -1) => void
  children?: ReactNode
}

/** The way from change to change, by key and within reach of the thumb. */
export function Steps({ area, onEnd, children }: Props) {
  const step = (to: 1 | -1) => {
    if (!stepChange(area.current, to)) onEnd?.(to)
  }
  useKeys({ n: () => step(1), p: () => step(-1) })
  return (
    <div className="steps-bar" role="group" aria-label={t("diff.steps")}>
      <button type="button" onClick={() => step(-1)} aria-label={t("diff.before")} title={t("diff.before")}>
        <span aria-hidden="true">↑</span> <kbd aria-hidden="true">p</kbd>
      </button>
      <button type="button" onClick={() => step(1)} aria-label={t("diff.next")} title={t("diff.next")}>
        <span aria-hidden="true">↓</span> <kbd aria-hidden="true">n</kbd>
      </button>
      <span className="grow" />
      {children}
    </div>
  )
}
