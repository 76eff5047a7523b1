import { useEffect, useState } from "react"
import { get, part } from "../api/http"
import type { Prompt } from "../api/types"
import { Empty } from "../parts/Notice"
import { t } from "../words/words"

/** A link to a prompt, as notices have it, leads to its session. */
export function PromptRoute({ id }: { id: string }) {
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    get<Prompt>("/v1/prompts/" + part(id), {}, stop.signal).then(
      (prompt) => {
        // The person may have gone elsewhere.
        if (!stop.signal.aborted) location.replace(`#/s/${encodeURIComponent(prompt.session_id)}?prompt=${encodeURIComponent(id)}`)
      },
      () => {
        if (!stop.signal.aborted) setGone(true)
      },
    )
    return () => stop.abort()
  }, [id])
  return <main className="page">{isGone && <Empty><h1>{t("prompt.none")}</h1><a href="#/">{t("back")}</a></Empty>}</main>
}
