// Shapes of the server's answers about devices and their pairing.

export interface Device {
  id: string
  name: string
  owner?: string
  platform?: string
  state: string
  created_at: string
  last_seen_at?: string
  revoked_at?: string
  capabilities: string[]
}

/** An invitation for another device. */
export interface Pairing {
  id: string
  expires_at: string
  /** In seconds. */
  expires_in: number
  /** Signs a browser in. */
  link: string
  link_svg?: string
}

export interface PairingState {
  id: string
  approval: "none" | "pending" | "approved" | "rejected"
  device?: Device | null
}

/** A device that waits for a person's approval. */
export interface PendingDevice {
  request_id: string
  /** Its name and its platform, as it states them. */
  user_agent: string
  remote_addr?: string
  created_at: string
  /** What it may do once it is let in. */
  capabilities?: string[]
}
