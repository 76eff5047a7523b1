/** The file on the machine that says who may answer its prompts, as the machine has reported it. */
export interface ApprovalsFile {
  exists: boolean
  /** Why the file is not valid. No device may then answer. */
  flaw?: string
  rules: ApprovalsRule[]
  /** The file has more rules. */
  cut?: boolean
  reported_at: string
}

export interface ApprovalsRule {
  line: number
  words: Record<string, string>
}
