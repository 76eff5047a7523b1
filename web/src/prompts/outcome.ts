import type { PromptAnswer, PromptKind, PromptState } from "../api/types"
import { named, t, type Word } from "../words/words"

export type Decision = "allow" | "deny" | "answer"

/** What an answer comes to, in the words that a person reads: a question is answered, everything else allowed or denied. */
export function decisionOf(kind: PromptKind, decision: string | undefined): Decision {
  if (decision === "deny" || decision === "decline" || decision === "cancel") return "deny"
  return kind === "question" || kind === "elicitation" || !decision ? "answer" : "allow"
}

/** `Denied by you (Chrome on Linux)`. A device answers for its person, so that is "you". */
export function whoDid(decision: Decision, by: PromptAnswer["by"], here: string | null): string {
  const kind = by?.kind ?? "terminal"
  const text = t(`did.${decision}.${isKnown(kind) ? kind : "terminal"}` as Word)
  const device = kind === "device" && by?.name && by.id !== here ? ` (${deviceName(by.name)})` : ""
  return text + device
}

const known = ["device", "terminal", "rule", "timeout", "operator"]

function isKnown(kind: string): boolean {
  return known.includes(kind)
}

/** Browsers that were paired by an earlier version are called `Chrome · Linux`. */
export function deviceName(name: string): string {
  return name.replace(" · ", ` ${t("on")} `)
}

/** How a prompt ended, where no answer is known. */
export function endOf(kind: PromptKind, state: PromptState, answer: PromptAnswer | undefined, here: string | null): string {
  if (!answer) return named("prompt.state", state)
  const scope = answer.scope === "session" || answer.scope === "always" ? ", " + t(`scope.${answer.scope}.did` as Word) : ""
  return whoDid(decisionOf(kind, answer.decision), answer.by, here) + scope
}

/** What a person says with an answer of this page, as the server will record it. */
export function saidOf(answer: Record<string, unknown>): string {
  if (typeof answer.message === "string") return answer.message
  const answers = answer.answers as Record<string, string | string[]> | undefined
  return Object.values(answers ?? {}).map((one) => Array.isArray(one) ? one.join(", ") : one).join("; ")
}

/** The decision of an answer of this page. */
export function givenDecision(kind: PromptKind, answer: Record<string, unknown>): Decision {
  const word = answer.decision ?? answer.action
  return decisionOf(kind, typeof word === "string" ? word : undefined)
}
