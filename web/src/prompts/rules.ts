import type { Prompt } from "../api/types"
import { t, type Word } from "../words/words"
import { exactRule } from "./exact"

/** A rule that an answer can add, as Claude Code writes it. */
export interface Rule {
  text: string
  /** Its parts, each with what it allows. */
  parts: RulePart[]
  /** For exactly this call; else what Claude Code suggests, which may allow more. */
  isExact: boolean
  /** What the rule names beside the tool, where a person may write it otherwise. */
  content?: string
  /** The suggestions that it consists of. */
  suggestions: Suggestion[]
}

export interface RulePart {
  text: string
  means: string
}

interface Suggestion {
  type?: string
  behavior?: string
  destination?: string
  mode?: string
  rules?: { toolName?: string; ruleContent?: string }[]
}

/** The rule that "Always allow" adds; `null` if Claude Code has none for this call. docs/prompts.md says which calls have one. */
export function ruleOf(prompt: Prompt): Rule | null {
  const exact = exactRule(prompt)
  if (exact) return { text: `${exact.tool}(${exact.content})`, parts: [partOf(exact.tool, exact.content)], isExact: true, suggestions: [], ...editable(prompt, exact.tool, exact.content) }
  const suggestions = suggestionsOf(prompt).filter((one) =>
    one.type === "addRules" && one.behavior === "allow" && one.destination === "localSettings")
  const rules = suggestions.flatMap((one) => one.rules ?? [])
  if (rules.length === 0) return null
  const text = rules.map((one) => one.ruleContent ? `${one.toolName}(${one.ruleContent})` : one.toolName ?? "").join("\n")
  const only = rules.length === 1 ? rules[0] : undefined
  return { text, parts: rules.map((one) => partOf(one.toolName ?? "", one.ruleContent)), isExact: false, suggestions, ...editable(prompt, only?.toolName, only?.ruleContent) }
}

/** A rule of Claude Code in words: `Bash(make *)` allows commands that begin with `make`. */
export function partOf(tool: string, content: string | undefined): RulePart {
  const text = content ? `${tool}(${content})` : tool
  const prefix = content?.match(/^([^*]*?)(?::| )?\*$/)?.[1]?.trim()
  if (!content) return { text, means: t("rule.tool", { tool }) }
  if (/^(Bash|PowerShell)$/.test(tool)) {
    if (prefix) return { text, means: t("rule.prefix", { prefix }) }
    return { text, means: t(content.replaceAll("***", "").includes("*") ? "rule.pattern" : "rule.command") }
  }
  const path = content.replace(/^\/\//, "/")
  const isBelow = /\/\*\*$/.test(path)
  const values = { path: path.replace(/\/\*\*$/, "") }
  if (tool === "Edit" || tool === "Write") return { text, means: t(isBelow ? "rule.editBelow" : "rule.edit", values) }
  if (tool === "Read") return { text, means: t(isBelow ? "rule.readBelow" : "rule.read", values) }
  const domain = /^domain:(.+)$/.exec(content)?.[1]
  return { text, means: domain ? t("rule.domain", { domain }) : t("rule.pattern") }
}

/** One rule for the tool itself can be written otherwise, if the machine's file lets devices answer for all calls of the tool. What is masked cannot: the asterisks would stand for any text. */
function editable(prompt: Prompt, tool: string | undefined, content: string | undefined): { content?: string } {
  const isOpen = prompt.rules_allowed === undefined || prompt.rules_allowed === "any"
  return isOpen && tool === prompt.tool_name && content && !isMasked(content) ? { content } : {}
}

/** The answer's members for a rule, as it is or as a person has changed it. */
export function permissionsOf(prompt: Prompt, rule: Rule, content: string | undefined): { permissions?: unknown[] } {
  if (content !== undefined && content.trim() !== rule.content) {
    return { permissions: [{ type: "addRules", rules: [{ toolName: prompt.tool_name, ruleContent: content.trim() }], behavior: "allow",
      destination: "localSettings" }] }
  }
  if (rule.isExact) return {}
  // The word names all suggestions of its type: it is enough where these are the ones that were shown.
  const all = suggestionsOf(prompt).filter((one) => one.type === "addRules")
  return { permissions: all.length === rule.suggestions.length ? ["addRules"] : rule.suggestions }
}

/** Why no rule for ever can be added, as a word; `null` if one can. */
export function whyNotAlways(prompt: Prompt, rule: Rule | null): Word | null {
  if (!rule) return "always.none"
  return prompt.always_allowed === false ? "always.machine" : null
}

/** Whether Claude Code suggests that the session accepts edits, and an answer may do so. */
export function suggestsEdits(prompt: Prompt): boolean {
  const found = suggestionsOf(prompt).filter((one) => one.type === "setMode")
  return found.length > 0 && found.every((one) => one.destination === "session" && one.mode === "acceptEdits") && acceptsEdits(prompt)
}

/** Whether an answer may make the session accept edits. */
export function acceptsEdits(prompt: Prompt): boolean {
  return prompt.modes_allowed?.includes("acceptEdits") ?? true
}

/** Secrets are shown as asterisks; a text that holds them is not the text that Claude Code has. */
export function isMasked(text: string): boolean {
  return text.includes("***")
}

function suggestionsOf(prompt: Prompt): Suggestion[] {
  return (prompt.suggestions as (Suggestion | null)[] ?? []).flatMap((one) => one ?? [])
}

/** Whether the machine takes another input than Claude's. What holds a masked secret cannot be sent back. */
export function canChange(prompt: Prompt): boolean {
  return prompt.change_input_allowed === true && prompt.tool_input !== undefined && !isMasked(JSON.stringify(prompt.tool_input))
}
