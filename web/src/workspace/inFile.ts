import { get, part } from "../api/http"
import type { DiffLine } from "../lib/diff"
import { fileDiff } from "../lib/fileDiff"
import type { FilePart } from "./files/requests"

type Input = Record<string, unknown>

/** Larger files are not read for a card. */
const most = 1024 * 1024

/** What a call would change in the file as it is now; `null`: it cannot be told. */
export async function readInFile(machine: string, path: string, tool: string, input: Input): Promise<DiffLine[] | null> {
  const file = await get<FilePart>(`/v1/machines/${part(machine)}/file`, { path, limit: most })
  if (file.encoding !== "utf-8" || file.next_offset !== null || file.content === null) return null
  const after = changed(file.content, tool, input)
  return after === null ? null : fileDiff(file.content, after)
}

/** The file after the call; `null` where the tool would refuse it. */
export function changed(text: string, tool: string, input: Input): string | null {
  if (tool === "Write") return typeof input.content === "string" ? input.content : null
  if (tool === "Edit") return edited(text, input)
  if (tool !== "MultiEdit" || !Array.isArray(input.edits)) return null
  let now: string | null = text
  for (const one of input.edits as unknown[]) now = now === null || typeof one !== "object" || one === null ? null : edited(now, one as Input)
  return now
}

function edited(text: string, { old_string: old, new_string: fresh, replace_all: isAll }: Input): string | null {
  if (typeof old !== "string" || typeof fresh !== "string" || old === "") return null
  const parts = text.split(old)
  if (parts.length < 2 || (parts.length > 2 && isAll !== true)) return null
  return parts.join(fresh)
}
