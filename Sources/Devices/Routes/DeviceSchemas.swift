internal import API
internal import Audit
internal import EventModel
internal import JSON

/// The schemas of pairing, devices, keys and the audit log.
extension JSONSchema {
    /// A text that a device reports about itself.
    private static let deviceText = nullable(printable(100))

    static let devices: [(SchemaName, String)] =
        lists + deviceBodies + ListedDevices.definitions

    private static let lists: [(SchemaName, String)] = [
        ("DevicePage", page("devices", "Device")),
        ("IdentityPage", page("identities", "Identity")),
        ("KeyPage", page("keys", "Key")), ("APIKeyPage", page("api_keys", "APIKey")),
        ("AuditPage", page("data", "AuditRecord")),
        ("SignedOut", object(["success": flag])),
    ]

    private static let deviceBodies: [(SchemaName, String)] = [
        ("NewKey", object(["name": KeyRoutes.nameSchema])), ("NewAPIKey", APIKeyRecord.wish),
        (
            "PairingWish",
            object([
                "capabilities?": nullable(array(words("read", "respond", "administer"))),
                "machines?": nullable(array(printable(200))),
            ])
        ),
        ("DeviceChange", object(["name": printable(DeviceRoutes.longestName)])),
        ("GrantWish", object(["machines?": nullable(array(printable(200)))])),
        ("PairingForm", object(["token": text])),
        ("PairingCode", object(["code": printable(64)])),
        (
            "PairingSecret",
            either([
                object(["pairing_token": printable(64), "name?": deviceText, "platform?": deviceText]),
                object([
                    "code": printable(64), "pairing_token?": #"{"type":"null"}"#, "name?": deviceText,
                    "platform?": deviceText,
                ]),
            ])
        ),
        ("PairingRequestID", object(["request_id": printable(20)])),
        ("RefreshToken", object(["refresh_token": printable(200)])),
        (
            "AppleSignIn",
            object([
                "identity_token": printable(8192), "nonce": printable(64), "code?": nullable(printable(64)),
                "pairing_token?": nullable(printable(64)), "name?": deviceText, "platform?": deviceText,
            ])
        ),
    ]
}

private enum ListedDevices {
    static let definitions: [(SchemaName, String)] = [
        KeyRecord.created.definitions, KeyRecord.revoked.definitions, KeyRecord.list.definitions,
        APIKeyRecord.created.definitions,
        APIKeyRecord.revoked.definitions, DeviceRecord.shape.definitions,
        DeviceRoutes.revoked.definitions, PairingRecord.shape.definitions, PairingInvitation.shape.definitions,
        PairingInvitation.code.definitions, PairingToken.shape.definitions, PairingToken.nonce.definitions,
        NewPairing.renewed.definitions, PairingOutcome.pending.definitions, IssuedTokens.shape.definitions,
        IssuedTokens.ofBrowser.definitions, IssuedTokens.ofNewBrowser.definitions, ApprovalRoutes.pending.definitions,
        ApprovalRoutes.decision.definitions,
        Principal.shape.definitions, TicketRoutes.shape.definitions, AppleIdentityRecord.shape.definitions,
        AppleRoutes.removed.definitions, AuditRecord.shape.definitions,
    ].flatMap { $0 }
}
