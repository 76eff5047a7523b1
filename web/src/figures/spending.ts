import { get } from "../api/http"
import type { Page } from "../api/types"

/** What may be spent until people are told, and what was spent: of a day, of a project on a day, of a session in total. */
export interface Budget {
  scope: "day" | "project" | "session"
  id: string
  name?: string
  spent_usd: number
  /** Ascending. */
  thresholds_usd: number[]
  reached_usd?: number
  /** Of the day that counts. */
  timezone?: string
}

export async function readBudgets(): Promise<Budget[]> {
  return (await get<Page<Budget>>("/v1/budgets")).data
}

/** The threshold that comes next; where all were reached, the highest. */
export function nextThreshold({ thresholds_usd: all, spent_usd: spent }: Budget): number {
  return all.find((one) => one > spent) ?? all[all.length - 1] ?? 0
}
