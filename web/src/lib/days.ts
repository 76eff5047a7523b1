/** Days by the browser's clock, as `YYYY-MM-DD`. */

export function dayOf(time: number | string): string {
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The first moment of a day. Days need not have 24 hours. */
export function startOfDay(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date)
}

/** The latest days, the earliest first. */
export function latestDays(count: number): string[] {
  const now = new Date()
  return Array.from({ length: count }, (_, index) =>
    dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index)).getTime()))
}

/** The browser's time zone; absent: the browser does not know it. */
export function ownZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone === "Etc/Unknown" ? undefined : zone
}

/** Whether the day of another time zone begins at another moment than the browser's. */
export function isOtherZone(zone: string): boolean {
  const now = new Date()
  const clock = (timeZone?: string) => new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" }).format(now)
  try {
    return clock(zone) !== clock()
  } catch {
    // The browser does not know the zone.
    return true
  }
}
