import { get } from "../api/http"
import { useLoaded } from "../lib/load"

interface Known {
  models: { id: string; aliases: string[] }[]
}

/** Names of models, offered while one is typed: what Claude Code takes may be another. */
export function ModelNames({ id }: { id: string }) {
  const { value } = useLoaded(() => get<Known>("/v1/models/capabilities"), [])
  const names = [...new Set((value?.models ?? []).flatMap((model) => [...model.aliases, model.id]))]
  return <datalist id={id}>{names.map((name) => <option key={name} value={name} />)}</datalist>
}
