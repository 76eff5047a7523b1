import { useMemo } from "react"
import type { Prompt } from "../api/types"
import { countChanges, diffLines } from "../lib/diff"
import { Diff } from "../parts/Diff"
import { Plain } from "../parts/Plain"
import { textOf } from "./describe"

/** The whole of what would be done: the command, the change, or all parameters. */
export function PermissionBody({ prompt }: { prompt: Prompt }) {
  const input = prompt.tool_input
  if (!input) return prompt.detail ? <Block text={prompt.detail} /> : null
  if (typeof input.command === "string") return <Block text={input.command} />
  if (typeof input.file_path === "string") return <FileChange path={input.file_path} input={input} />
  const entries = Object.entries(input).filter(([name]) => name !== "description")
  return (
    <dl className="kv wide">
      {entries.map(([name, value]) => [
        <dt key={name}><Plain text={name} /></dt>,
        <dd key={name + " "}><pre className="cmd"><Plain text={show(value)} isCommand /></pre></dd>,
      ])}
    </dl>
  )
}

function Block({ text }: { text: string }) {
  return <pre className="cmd" tabIndex={0}><Plain text={text} isCommand /></pre>
}

function FileChange({ path, input }: { path: string; input: Record<string, unknown> }) {
  const lines = useMemo(() => changeLines(input), [input])
  const { added, removed } = countChanges(lines)
  return (
    <div>
      <p className="row">
        <code className="grow wrap"><Plain text={path} isCommand /></code>
        {added > 0 && <span className="small plus">+{added}</span>}
        {removed > 0 && <span className="small minus">−{removed}</span>}
      </p>
      {lines.length > 0 && <Diff lines={lines} />}
    </div>
  )
}

/** Of Edit, MultiEdit, Write and NotebookEdit. */
export function changeLines(input: Record<string, unknown>): ReturnType<typeof diffLines> {
  if (Array.isArray(input.edits)) {
    return (input.edits as Record<string, unknown>[]).flatMap((edit) =>
      diffLines(textOf(edit?.old_string), textOf(edit?.new_string)))
  }
  return diffLines(textOf(input.old_string), textOf(input.new_string ?? input.content ?? input.new_source))
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? ""
}
