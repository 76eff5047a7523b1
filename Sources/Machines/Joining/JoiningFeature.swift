package import API

extension Feature {
    /// What a machine needs to join: the hooks, and the script that installs them.
    ///
    /// - Parameter hooks: `nil` if they are not installed beside the server.
    /// - Parameter isSecure: whether the listeners use TLS.
    package static func joining(_ hooks: HooksArchive?, isSecure: Bool) -> Feature {
        var feature = Feature("joining")
        feature.routes = JoiningRoutes(hooks: hooks, isSecure: isSecure).routes
        return feature
    }
}
