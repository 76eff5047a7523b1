import type { Prompt } from "../api/types"
import { oneLine } from "../lib/visible"
import { t } from "../words/words"

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** What is asked, in one line: the command, the file, the question. */
export function promptLine(prompt: Prompt): string {
  const input = prompt.tool_input ?? {}
  const asked = prompt.kind === "permission" ? [] : [prompt.questions?.[0]?.question, prompt.question]
  const found = [
    ...asked, textOf(input.command), textOf(input.file_path), textOf(input.url), prompt.detail, prompt.plan,
    prompt.title,
  ].find((text) => text && text.trim())
  return oneLine((found ?? "").replace(/^#+ /gm, ""))
}

/** The name of the card, as a person hears it: it begins with the tool, "Question" or "Plan". */
export function promptName(prompt: Prompt): string {
  const head = prompt.kind === "question" ? t("question") : prompt.kind === "plan" ? t("plan")
    : prompt.tool_name ?? t("form")
  const line = promptLine(prompt)
  return line && line !== head ? `${head}: ${line}` : head
}

/** Why Claude wants to do it, in its own words. */
export function promptReason(prompt: Prompt): string {
  return textOf(prompt.tool_input?.description)
}

