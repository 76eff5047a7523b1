package import API

extension Feature {
    /// What a machine needs to join: the hooks, the agent, and the script that installs them.
    ///
    /// - Parameter hooks: `nil` if they are not installed beside the server.
    /// - Parameter isSecure: whether the listeners use TLS.
    package static func joining(_ hooks: HooksArchive?, agents: AgentReleases, isSecure: Bool) -> Feature {
        var feature = Feature("joining")
        feature.routes =
            JoiningRoutes(hooks: hooks, agents: agents, isSecure: isSecure).routes
            + AgentDownload(releases: agents).routes
        return feature
    }
}
