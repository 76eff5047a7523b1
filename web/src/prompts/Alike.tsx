import { lazy, Suspense, useMemo, useState } from "react"
import type { Prompt } from "../api/types"
import { useStore } from "../lib/store"
import { given, isGiven } from "../state/given"
import { prompts } from "../state/prompts"
import { t } from "../words/words"
import { alikeOf } from "./sameCall"

const Together = lazy(async () => ({ default: (await import("../views/others")).Together }))

/** Where several sessions ask the same: a way to answer them together. It comes with the card, so that nothing moves later. */
export function Alike({ prompt }: { prompt: Prompt }) {
  const all = useStore(prompts)
  const answers = useStore(given)
  const alike = useMemo(() => alikeOf(prompt, all.values()).filter((one) => !isGiven(answers, one.id)), [prompt, all, answers])
  const [isOffered] = useState(alike.length > 1)
  const [isOpen, setOpen] = useState(false)
  if (!isOffered) return null
  return (
    <div className="row">
      <p className="small soft grow">{t("alike", { n: Math.max(0, alike.length - 1) })}</p>
      <button type="button" className="quiet more" disabled={alike.length < 2} onClick={() => setOpen(true)}>{t("alike.open")}</button>
      {isOpen && <Suspense><Together asked={alike} onClose={() => setOpen(false)} /></Suspense>}
    </div>
  )
}
