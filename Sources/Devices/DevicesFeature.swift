package import API
package import EventModel
package import HTTPModel
internal import JSON
internal import Persistence

extension Feature {
    /// Devices, keys of machines and programs, Sign in with Apple, and the audit of access.
    package static func devices(_ services: DeviceServices) -> Feature {
        let (devices, clock) = (services.devices, services.devices.clock)
        let (isSecure, authorize) = (services.isSecure, services.authorize)
        var feature = Feature("devices")
        feature.routes =
            PairingRoutes(devices: devices, isSecure: isSecure, authorize: authorize).routes
            + PairingPageRoutes(devices: devices, isSecure: isSecure, authorize: authorize, page: services.page).routes
            + ApprovalRoutes(devices: devices).routes
            + AppleRoutes(devices: devices, service: services.apple, clock: clock).routes
            + DeviceRoutes(devices: devices, clock: clock).routes
            + KeyRoutes(keys: services.keys, isSecure: isSecure, clock: clock).routes
            + APIKeyRoutes(service: services.apiKeys, clock: clock).routes
            + AuditRoutes(database: devices.database, clock: clock).routes
            + TicketRoutes(issuer: services.tickets).routes + MeRoutes().routes
        feature.schemas = JSONSchema.devices
        feature.retention = DeviceRetention.steps(auditDays: services.auditDays)
        return feature
    }
}

/// What the feature's routes need.
package struct DeviceServices: Sendable {
    let devices: DeviceService
    let keys: KeyService
    let apiKeys: APIKeyService
    let tickets: TicketService
    /// Returns the request's sender. Throws 401 or 403 if the sender may not administer.
    let authorize: @Sendable (HTTPRequest) throws(APIError) -> Principal
    /// `nil` if Sign in with Apple is disabled.
    package var apple: AppleService?
    /// Whether the listeners use TLS.
    package var isSecure = false
    package var auditDays = 365
    /// The web app's page at `/pair`, for a browser; `nil` if there is none.
    package var page: @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }

    package init(
        devices: DeviceService,
        keys: KeyService,
        apiKeys: APIKeyService,
        tickets: TicketService,
        authorize: @escaping @Sendable (HTTPRequest) throws(APIError) -> Principal
    ) {
        (self.devices, self.keys, self.apiKeys) = (devices, keys, apiKeys)
        (self.tickets, self.authorize) = (tickets, authorize)
    }
}
