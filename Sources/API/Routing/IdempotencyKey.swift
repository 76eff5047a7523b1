package import HTTPModel

extension HTTPRequest {
    /// The client's key of the request, by which a repeat is known; `nil` without one.
    package func idempotencyKey() throws(APIError) -> String? {
        guard let key = headers["idempotency-key"] else { return nil }
        guard (1...255).contains(key.utf8.count) else {
            throw .invalid("invalid_parameter", "'Idempotency-Key' must have 1 to 255 bytes.")
        }
        return key
    }
}

extension APIError {
    package static let idempotencyKeyReused = APIError(
        .invalidRequest,
        status: 422,
        code: "idempotency_key_reused",
        message: "The idempotency key was used for another request."
    )
}
