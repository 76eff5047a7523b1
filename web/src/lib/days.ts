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

/** The day by UTC. */
export function utcDayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Whether the browser's days are those of UTC at the moment. */
export function isUTC(): boolean {
  return new Date().getTimezoneOffset() === 0
}
