/** An answer of the server that is not a success, or no answer at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message)
  }

  /** The server does not have this route yet. */
  get isMissingRoute(): boolean {
    return this.status === 404 && this.code === "not_found"
  }

  get isOffline(): boolean {
    return this.status === 0
  }

  /** The same request may succeed later without anybody doing anything. */
  get isPassing(): boolean {
    return this.isOffline || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

interface ErrorBody {
  /** `reason` is the usual code where `code` is a word of other documents. */
  error?: { code?: string; reason?: string; message?: string; retry_after?: number }
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody
  const { code = "unknown", reason, message = answer.statusText, retry_after } = body.error ?? {}
  return new ApiError(answer.status, reason ?? code, message, retry_after)
}

export function asApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault
  return new ApiError(0, "offline", fault instanceof Error ? fault.message : String(fault))
}
