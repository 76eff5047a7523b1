import { locale, t } from "../words/words"
import { startOfDay } from "./days"
import { Store } from "./store"

/** The time, for ages that are on the screen; once a second while the page is visible. */
export const now = new Store(Date.now())

export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === "visible") now.set(Date.now())
  }
  window.setInterval(tick, 1000)
  document.addEventListener("visibilitychange", tick)
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

export function secondsSince(time: string | undefined, at: number): number {
  const from = time ? Date.parse(time) : NaN
  return Number.isNaN(from) ? 0 : Math.max(0, (at - from) / 1000)
}

/** `0:42`, `6:40`, `1:02:03`: how long something has taken. */
export function clockDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number) => String(value).padStart(2, "0")
  const [h, m, s] = [Math.floor(whole / hour), Math.floor((whole % hour) / minute), whole % minute]
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** `12 min`, `2 h`, `3 d`. */
export function shortAge(seconds: number): string {
  if (seconds < minute) return t("age.seconds", { n: Math.floor(seconds) })
  if (seconds < hour) return t("age.minutes", { n: Math.floor(seconds / minute) })
  if (seconds < day) return t("age.hours", { n: Math.floor(seconds / hour) })
  return t("age.days", { n: Math.floor(seconds / day) })
}

/** `12 min ago`. */
export function ago(time: string | undefined, at: number): string {
  if (!time) return t("age.never")
  const seconds = secondsSince(time, at)
  return seconds < 5 ? t("age.now") : t("age.ago", { age: shortAge(seconds) })
}

/** How long a tool took: `0.1 s`, `31 s`, `6:40`. */
export function took(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${number(seconds, 1)} s`
  return seconds < 100 ? `${number(seconds)} s` : clockDuration(seconds)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(name)
  if (known) return known
  const made = new Intl.DateTimeFormat(locale(), options)
  formats.set(name, made)
  return made
}

/** Whether this person's clock has twelve hours, which are written without a leading zero. */
function isTwelve(): boolean {
  return format("hours", { hour: "numeric" }).resolvedOptions().hour12 === true
}

/** `14:32` or `2:32 PM` by the clock of this browser. */
export function timeOfDay(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? "" : format("time", { hour: isTwelve() ? "numeric" : "2-digit", minute: "2-digit" }).format(date)
}

/** `14:32:07`, for logs. */
export function timeWithSeconds(time: string): string {
  const date = new Date(time)
  const options: Intl.DateTimeFormatOptions = { hour: isTwelve() ? "numeric" : "2-digit", minute: "2-digit", second: "2-digit" }
  return Number.isNaN(date.getTime()) ? "" : format("seconds", options).format(date)
}

export function dateAndTime(time: string | undefined): string {
  const date = new Date(time ?? "")
  const options: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "short" }
  return Number.isNaN(date.getTime()) ? "–" : format("both", options).format(date)
}

export function dayName(date: string): string {
  return format("day", { month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(date))
}

/** `Jan`, of a day that is written `YYYY-MM-DD`. */
export function monthName(day: string): string {
  return format("month", { month: "short", timeZone: "UTC" }).format(new Date(day))
}

/** `Mon`, of a day that is written `YYYY-MM-DD`. */
export function dayLetters(day: string): string {
  return format("letters", { weekday: "short", timeZone: "UTC" }).format(new Date(day))
}

/** `Mon, 5 Jan`: a day by the browser's clock. */
export function weekday(day: string): string {
  return format("weekday", { weekday: "short", month: "short", day: "numeric" }).format(startOfDay(day))
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString(locale(), { maximumFractionDigits: digits, minimumFractionDigits: digits })
}

/** `24 kB`, `1.2 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  return count < 1_000_000 ? `${number(count / 1000)} kB` : `${number(count / 1_000_000, 1)} MB`
}

/** `161k`, `1.2M`: for narrow places. */
export function compact(value: number): string {
  const rounded = Math.round(value)
  const [size, unit] = rounded >= 999_500_000 ? [1e9, "G"] : rounded >= 999_500 ? [1e6, "M"] : rounded >= 1000 ? [1e3, "k"] : [1, ""]
  return (value / size).toLocaleString(locale(), { maximumFractionDigits: size > 1 && value < 100 * size ? 1 : 0 }) + unit
}

/** @param share of 1 */
export function percent(share: number): string {
  return share.toLocaleString(locale(), { style: "percent", maximumFractionDigits: 0 })
}

export function money(dollars: number | undefined): string {
  if (dollars === undefined) return "–"
  const digits = dollars > 0 && dollars < 0.01 ? 4 : 2
  return dollars.toLocaleString(locale(), { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", maximumFractionDigits: digits,
    minimumFractionDigits: 2 })
}
