import type { Prompt } from "../api/types"

/** Whether a part of the tool's input is shown masked. What the server masks, it names by JSON Pointers. */
export function hasMasked(prompt: Prompt): boolean {
  return (prompt.masked ?? []).length > 0
}

/** Whether a part of this member is masked. The empty pointer is the whole input. */
export function isMaskedMember(prompt: Prompt, name: string): boolean {
  const pointer = "/" + name.replaceAll("~", "~0").replaceAll("/", "~1")
  return (prompt.masked ?? []).some((one) => one === "" || one === pointer || one.startsWith(pointer + "/"))
}

/** The prompt with what the server has shown this person without masks. */
export function withRevealed(prompt: Prompt, revealed: Prompt | null): Prompt {
  if (!revealed || revealed.id !== prompt.id) return prompt
  const { tool_input, suggestions, plan, masked, content_truncated } = revealed
  return { ...prompt, tool_input, suggestions, plan, masked, content_truncated }
}
