import { en, type Word } from "./en"

export type { Word } from "./en"
/** English is the language of the server, so the sentences of its codes are for the others only. */
export type Words = Record<Word, string> & { [code: `push.code.${string}` | `error.${string}`]: string }
type Values = Record<string, string | number>

const languageKey = "monitor.language"
let words: Words = en
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

export function chooseLanguage(tag: string): void {
  localStorage.setItem(languageKey, tag)
  location.reload()
}

/** The text for a word, with its values: `{n}`. `{n|one|many}` chooses by number. */
export function t(word: Word, values: Values = {}): string {
  return words[word].replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = values[name] ?? ""
    return one === undefined ? String(value) : Number(value) === 1 ? one : (many ?? "")
  })
}

/** What the server says, in English; in other languages its code has a sentence where it is common. */
export function explained(error: { code: string; message: string }): string {
  if (error.code === "offline") return t("fault.offline")
  const key = `error.${error.code}`
  return key in words ? words[key as Word] : error.message || t("fault.unknown")
}

/** The text for a word that a server sent, else the word itself. */
export function named(prefix: string, word: string | undefined): string {
  const key = `${prefix}.${word ?? ""}`
  return key in words ? words[key as Word] : (word ?? "").replace(/_/g, " ")
}
