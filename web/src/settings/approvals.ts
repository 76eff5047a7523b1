import type { ApprovalsRule } from "../api/approvals"
import { t, type Word } from "../words/words"

/** The keys that say which prompts a rule is for. */
const subjects = ["tool", "project", "risk"]
const known = ["hold", "devices", "quiet", ...subjects]
const choices = ["who.answer", "who.notify", "who.off", "after.ask", "after.deny", "always.yes", "always.no", "change_input.yes",
  "change_input.no", "messages.on", "messages.off"]

/** A word of the file in words; one that this page does not know stands as it is. */
function said(key: string, value: string): string {
  if (known.includes(key)) return t(`approvals.${key}` as Word, { value: value.replaceAll(",", ", ") })
  return choices.includes(`${key}.${value}`) ? t(`approvals.${key}.${value}` as Word) : `${key}=${value}`
}

/** What the rule is for, and what it says. */
export function ruleInWords({ words }: ApprovalsRule): { subject: string; says: string } {
  const parts = (isWanted: (key: string) => boolean) =>
    Object.entries(words).filter(([key]) => isWanted(key)).map(([key, value]) => said(key, value)).join(" · ")
  return {
    subject: parts((key) => subjects.includes(key)) || t("approvals.all"),
    says: parts((key) => !subjects.includes(key)) || t("approvals.defaults"),
  }
}
