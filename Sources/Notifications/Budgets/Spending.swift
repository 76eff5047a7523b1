/// What requests to models have cost, in US dollars.
package struct Spending: Sendable, Equatable {
    /// The cost of a project on one day, or of a session in total.
    package struct Part: Sendable, Equatable {
        package var id: String
        /// The project of a session.
        package var workspaceID: String?
        package var name: String?
        package var cost: Double

        package init(id: String, workspaceID: String? = nil, name: String? = nil, cost: Double) {
            (self.id, self.workspaceID, self.name, self.cost) = (id, workspaceID, name, cost)
        }
    }

    /// What all sessions spent on the day.
    package var day = 0.0
    /// Each on the day.
    package var projects: [Part] = []
    /// In total, those with requests on the day.
    package var sessions: [Part] = []

    package init(day: Double = 0, projects: [Part] = [], sessions: [Part] = []) {
        (self.day, self.projects, self.sessions) = (day, projects, sessions)
    }
}
