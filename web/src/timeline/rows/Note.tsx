import { modelName } from "../../lib/names"
import { timeOfDay } from "../../lib/time"
import { cut, oneLine } from "../../lib/visible"
import { Markdown } from "../../parts/Markdown"
import { Plain } from "../../parts/Plain"
import { named } from "../../words/words"
import type { NoteItem } from "../model"

const longest = 20_000
/** Where the session itself changes: across the whole width. */
const marks = new Set(["session_start", "session_end", "pre_compact", "post_compact", "post_model_switch", "session_interrupted"])

export function isMark(item: { kind: string; word?: string }): boolean {
  return item.kind === "note" && marks.has(item.word ?? "")
}

/** A line about the session. */
export function Note({ item }: { item: NoteItem }) {
  const name = named("event", item.word)
  const text = noteText(item)
  const line = (
    <span className={item.kind === "error" ? "minus" : "soft small"}>
      {name}{text && !name.endsWith(":") && " ·"} {text && <Plain text={oneLine(text)} />}
    </span>
  )
  if (isMark(item)) return <p className="markline">{line}<span className="faint small num">{timeOfDay(item.at)}</span></p>
  if (!item.more) return line
  return <details className="thinking"><summary>{line}</summary><Markdown text={cut(item.more, longest)} /></details>
}

/** Reasons that Claude Code names by a word are told in words, and models by their names. */
function noteText(item: NoteItem): string {
  switch (item.word) {
    case "session_end": return named("end", item.text)
    case "stop_failure": return named("stop", item.text)
    case "session_start": return item.text.split(/,\s*/).map((part) => part === "startup" ? "" : modelName(part)).filter(Boolean).join(", ")
    case "session_interrupted": return ""
    // The rest is what the model wrote for itself.
    case "pre_compact": case "post_compact": return named("compact", item.text.split(":")[0])
    default: return item.text
  }
}
