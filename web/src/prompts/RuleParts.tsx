import { Plain } from "../parts/Plain"
import type { RulePart } from "./rules"

/** A rule part by part: as Claude Code writes it, and what it allows in words. */
export function RuleParts({ parts }: { parts: readonly RulePart[] }) {
  return (
    <ul className="ruleparts">
      {parts.map((part) => (
        <li key={part.text}>
          <code className="wrap"><Plain text={part.text} isCommand /></code>
          <span className="small soft under"><Plain text={part.means} /></span>
        </li>
      ))}
    </ul>
  )
}
