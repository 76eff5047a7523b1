package import API
package import Devices
internal import EventModel
internal import JSON

extension Feature {
    /// The sign-in of browsers, and the web app's files.
    package static func web(_ pages: WebPages, devices: DeviceService) -> Feature {
        var feature = Feature("web")
        feature.routes =
            BrowserSessionRoutes(devices: devices, clock: devices.clock).routes + pages.routes
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
        (
            "BrowserProof",
            object(["browser_secret?": nullable(printable(64)), "base?": nullable(printable(200))])
        ),
    ]
}
