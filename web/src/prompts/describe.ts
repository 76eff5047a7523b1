import type { Prompt } from "../api/types"
import { oneLine } from "../lib/visible"
import { t, textFor } from "../words/words"

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** What is asked, in one line: the command, the file, the question. */
export function promptLine(prompt: Prompt): string {
  const input = prompt.tool_input ?? {}
  const asked = prompt.kind === "permission" ? [] : [prompt.questions?.[0]?.question, prompt.question]
  const found = [
    ...asked, textOf(input.command), textOf(input.file_path), textOf(input.url), ...(prompt.kind === "plan" ? [prompt.plan] : [prompt.detail, prompt.plan]),
    prompt.title,
  ].find((text) => text && text.trim())
  return oneLine((found ?? "").replace(/^#+ /gm, ""))
}

/** The name of the card, as a person hears it: it begins with the tool, "Question" or "Plan". */
export function promptName(prompt: Prompt): string {
  const head = promptHead(prompt)
  const line = promptLine(prompt)
  return line && line !== head && line !== prompt.tool_name ? `${head}: ${line}` : head
}

export function promptHead(prompt: Prompt): string {
  return prompt.kind === "question" ? t("question") : prompt.kind === "plan" ? t("plan") : prompt.tool_name ?? t("form")
}

/** What a session waits for, where its prompt is not known: a question or plan by its name, not by that of its tool. */
export function waitingName(tool: string | undefined): string {
  return tool === "AskUserQuestion" ? t("question") : tool === "ExitPlanMode" ? t("plan") : tool ?? ""
}

/** Who asks for the call, if not the session; null: the session does. */
export function askedBy({ asked_by: by }: Prompt): string | null {
  return by ? textFor(`prompt.by.${by.kind}`, { name: by.name ?? by.id }) : null
}

/** Why Claude wants to do it, in its own words. */
export function promptReason(prompt: Prompt): string {
  return textOf(prompt.tool_input?.description)
}

