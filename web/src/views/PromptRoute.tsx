import { useEffect } from "react"
import { ApiError } from "../api/errors"
import { get, part } from "../api/http"
import type { Prompt } from "../api/types"
import { useLoaded } from "../lib/load"
import { Empty, Fault, Skeleton } from "../parts/Notice"
import { t } from "../words/words"

/** A link to a prompt, as notices have it, leads to its session. */
export function PromptRoute({ id }: { id: string }) {
  const found = useLoaded(() => read(id), [id])
  const session = found.value?.session_id
  useEffect(() => {
    if (session) location.replace(`#/s/${encodeURIComponent(session)}?prompt=${encodeURIComponent(id)}`)
  }, [session])
  return (
    <main className="page">
      <Fault what={t("unread.prompt")} error={found.error} again={found.again} />
      {!found.value && !found.error && <Skeleton label={t("list.reading")} />}
      {found.value && !session && <Empty><h1>{t("prompt.none")}</h1><a href="#/">{t("back")}</a></Empty>}
    </main>
  )
}

/** Without a session: there is no such prompt. */
async function read(id: string): Promise<Partial<Prompt>> {
  return await get<Prompt>("/v1/prompts/" + part(id)).catch((fault: unknown) => {
    if (fault instanceof ApiError && fault.status === 404) return {}
    throw fault
  })
}
