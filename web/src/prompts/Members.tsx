import type { Prompt } from "../api/types"
import { Masked } from "../parts/Masked"
import { Plain } from "../parts/Plain"
import { isMaskedMember } from "./masked"

/** Members of the tool's input, each with its whole value. */
export function Members({ prompt, members }: { prompt: Prompt; members: [string, unknown][] }) {
  if (members.length === 0) return null
  return (
    <dl className="kv wide">
      {members.map(([name, value]) => [
        <dt key={name}><Plain text={name} isCommand /></dt>,
        <dd key={name + " "}>
          <pre className="cmd"><Masked text={show(value)} isMasked={isMaskedMember(prompt, name)} /></pre>
        </dd>,
      ])}
    </dl>
  )
}

export function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? ""
}
