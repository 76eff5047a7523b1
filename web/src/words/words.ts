import { en, type Word as FirstWord } from "./en"
import type { diagnosticWords } from "./diagnostics.en"
import type { projectWords } from "./projects.en"
import type { rewindWords } from "./rewind.en"
import type { settingsWords } from "./settings.en"
import type { swaggerWords } from "./swagger.en"
import type { toolWords } from "./tools.en"
import type { workspaceWords } from "./workspace.en"

/** The words of the first view, and those that come with views that are loaded later. */
export type Word =
  | FirstWord | keyof typeof diagnosticWords | keyof typeof projectWords | keyof typeof rewindWords | keyof typeof settingsWords | keyof typeof swaggerWords | ToolWord
  | keyof typeof workspaceWords
/** English is the language of the server, so the sentences of its codes are for the others only. */
export type Words = Record<FirstWord, string> & { [code: `push.code.${string}` | `error.${string}`]: string }
export type DiagnosticWords = Record<keyof typeof diagnosticWords, string>
export type ProjectWords = Record<keyof typeof projectWords, string>
export type RewindWords = Record<keyof typeof rewindWords, string>
export type ToolWord = keyof typeof toolWords
export type ToolWords = Record<ToolWord, string>
export type SettingsWords = Record<keyof typeof settingsWords, string>
export type SwaggerWords = Record<keyof typeof swaggerWords, string>
export type WorkspaceWords = Record<keyof typeof workspaceWords, string>
type Values = Record<string, string | number>

const languageKey = "monitor.language"
let words: Record<string, string> = en
let current = "en"

/** The languages in which the app speaks, by their own names. */
export const languages: Record<string, string> = { en: "English", de: "Deutsch" }

export function language(): string {
  return current
}

/** How numbers and times are written: as the browser's person does in that language. */
export function locale(): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(current)) ?? current
}

/** What the person chose, else the browser's first language that the app speaks. */
export async function loadWords(): Promise<void> {
  const wished = [localStorage.getItem(languageKey), ...navigator.languages]
  const found = wished.map((tag) => tag?.slice(0, 2).toLowerCase()).find((tag) => tag && tag in languages)
  if (found === "de") words = (await import("./de")).de
  current = found ?? "en"
  document.documentElement.lang = current
}

/** Adds the words of views that are loaded later. */
export function addWords(more: Record<string, string>): void {
  words = { ...words, ...more }
}

export function chooseLanguage(tag: string): void {
  localStorage.setItem(languageKey, tag)
  location.reload()
}

/** The text for a word, with its values: `{n}`. `{n|one|many}` chooses by number. */
export function t(word: Word, values: Values = {}): string {
  return (words[word] ?? word).replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = values[name] ?? ""
    return one === undefined ? String(value) : Number(value) === 1 ? one : (many ?? "")
  })
}

/** The text for a code that a server sent; `null`: there is none. */
export function textFor(key: string, values: Values = {}): string | null {
  return Object.prototype.hasOwnProperty.call(words, key) ? t(key as Word, values) : null
}

/** What the server says, in English; in other languages its code has a sentence where it is common. */
export function explained(error: { code: string; message: string }): string {
  if (error.code === "offline") return t("fault.offline")
  const key = `error.${error.code}`
  return words[key] ?? (error.message || t("fault.unknown"))
}

/** The text for a word that a server sent, else the word itself. */
export function named(prefix: string, word: string | undefined): string {
  const key = `${prefix}.${word ?? ""}`
  return words[key] ?? (word ?? "").replace(/_/g, " ")
}
