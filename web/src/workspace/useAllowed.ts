import { useEffect, useRef } from "react"
import type { Machine } from "../api/types"
import { loadMachines, machines } from "../state/machines"

export type Need = "files=read" | "git=read" | "git=write" | "git=push"

const pauseMilliseconds = 3_000

/**
 * Asks what the machine allows, as long as a refusal of it is in view, and does the same again when that has changed.
 * @param needs `null`: nothing was refused
 */
export function useAllowed(machine: string, needs: Need | null, again: (() => void) | undefined): void {
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    if (needs === null) return
    let isCurrent = true
    let tried: string | null = null
    const look = async () => {
      if (document.visibilityState === "hidden") return
      await loadMachines()
      const agent = machines.get().find((one) => one.name === machine)?.agent
      if (!isCurrent || agent?.state !== "online") return
      const told = JSON.stringify(agent.may ?? {})
      // It may have been changed between the refusal and the first look.
      const isAnother = tried === null ? isAllowed(agent.may, needs) : told !== tried
      tried = told
      if (isAnother) latest.current?.()
    }
    const timer = setInterval(() => void look(), pauseMilliseconds)
    const shown = () => void look()
    document.addEventListener("visibilitychange", shown)
    return () => {
      isCurrent = false
      clearInterval(timer)
      document.removeEventListener("visibilitychange", shown)
    }
  }, [machine, needs])
}

/** By the word of the machine's file. The machine itself decides, by the path. */
export function isAllowed(may: NonNullable<Machine["agent"]>["may"], needs: Need): boolean {
  if (needs === "files=read") return (may?.files ?? "off") !== "off"
  if (needs === "git=read") return (may?.git ?? "off") !== "off"
  const word = may?.git ?? "off"
  return needs === "git=push" ? ["push", "force"].includes(word) : !["off", "read"].includes(word)
}
