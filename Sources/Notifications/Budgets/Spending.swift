/// The cost of requests to models, in US dollars.
package struct Spending: Sendable, Equatable {
    /// The cost of a project on one day, or of a session in total.
    package struct Part: Sendable, Equatable {
        package var id: String
        /// The project that a session belongs to.
        package var workspaceID: String?
        package var name: String?
        package var cost: Double

        package init(id: String, workspaceID: String? = nil, name: String? = nil, cost: Double) {
            (self.id, self.workspaceID, self.name, self.cost) = (id, workspaceID, name, cost)
        }
    }

    /// The cost of all sessions on the day.
    package var day = 0.0
    /// The cost of each project on the day.
    package var projects: [Part] = []
    /// The total cost of each session that had requests on the day.
    package var sessions: [Part] = []

    package init(day: Double = 0, projects: [Part] = [], sessions: [Part] = []) {
        (self.day, self.projects, self.sessions) = (day, projects, sessions)
    }
}
