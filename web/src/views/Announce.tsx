import { useEffect, useRef, useState } from "react"
import { useStore } from "../lib/store"
import { oneLine, visibleText } from "../lib/visible"
import { promptName } from "../prompts/describe"
import { needsAnswer, prompts, promptsLoaded } from "../state/prompts"
import { t } from "../words/words"

/** Tells people who hear the page that a prompt has come, and which one. Those that are there at first are in the list. */
export function Announce() {
  const all = useStore(prompts)
  const isLoaded = useStore(promptsLoaded)
  const known = useRef<Set<string> | null>(null)
  const [text, setText] = useState("")
  useEffect(() => {
    if (!isLoaded) return
    const open = [...all.values()].filter(needsAnswer)
    const fresh = open.filter((prompt) => !known.current?.has(prompt.id)).pop()
    if (known.current && fresh) setText(t("prompt.new", { n: open.length, name: oneLine(visibleText(promptName(fresh)), 160) }))
    if (open.length === 0) setText("")
    known.current = new Set([...(known.current ?? []), ...open.map((prompt) => prompt.id)])
  }, [all, isLoaded])
  return <p className="hear" role="status">{text}</p>
}
