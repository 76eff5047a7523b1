package import API
package import Access
package import Devices
internal import EventModel
internal import JSON

extension Feature {
    /// The sign-in of browsers, and the web app's files.
    package static func web(_ pages: WebPages, devices: DeviceService, passes: DeviceTickets) -> Feature {
        var feature = Feature("web")
        feature.routes =
            BrowserSessionRoutes(devices: devices, passes: passes, clock: devices.clock).routes + pages.routes
        feature.schemas = JSONSchema.web
        return feature
    }
}

extension JSONSchema {
    private static let deviceText = nullable(printable(100))

    fileprivate static let web: [(SchemaName, String)] = [
        (
            "BrowserSignIn",
            object(["secret": printable(64), "name?": deviceText, "base?": nullable(printable(200))])
        ),
        ("BrowserBase", object(["base?": nullable(printable(200))])),
    ]
}
