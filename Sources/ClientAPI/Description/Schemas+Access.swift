internal import JSON

/// Pairing, sign-in and what both give.
extension JSONSchema {
    /// What a device says of itself.
    static let deviceText = nullable(printable(100))

    static let access: [(SchemaName, String)] = [
        (
            "PendingPairing",
            object(["status": words("pending_approval"), "request_id": text, "expires_at": time])
        ),
        ("RenewedPairing", object(["token": text, "code": text, "expires_at": time, "message": text])),
        (
            "PairingRequest",
            object([
                "request_id": text, "name": text, "platform?": text, "remote_addr": text, "user_agent": text,
                "created_at": time, "expires_at": time,
            ])
        ),
        ("PendingPairings", object(["pending": list("PairingRequest"), "count": count])),
        ("PairingRequestID", object(["request_id": printable(20)])),
        (
            "PairingDecision",
            object(["success": flag, "status": words("approved", "rejected"), "request_id": text])
        ),
        (
            "Me",
            object([
                "kind": words("device", "machine", "operator"), "id?": text, "name?": text, "owner?": text,
                "capabilities": array(capability), "machines": machines, "expires_at?": time,
            ])
        ),
        ("Ticket", object(["ticket": text, "expires_in": count])),
        ("AppleNonce", object(["nonce": text, "expires_at": time, "expires_in": count])),
        (
            "AppleSignIn",
            object([
                "identity_token": printable(8192), "nonce": printable(64), "code?": nullable(printable(64)),
                "pairing_token?": nullable(printable(64)), "name?": deviceText, "platform?": deviceText,
            ])
        ),
        (
            "Identity",
            object([
                "id": text, "subject": text, "email?": text, "invited": flag, "created_at": time,
                "last_seen_at": time, "device_count": count,
            ])
        ),
        ("IdentityList", object(["identities": list("Identity")])),
        ("RemovedIdentity", object(["id": text, "removed": flag, "revoked_devices": count])),
    ]
}
