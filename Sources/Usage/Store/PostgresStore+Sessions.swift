package import EventModel
package import Persistence
package import Sessions

/// Reads sessions together with their usage.
extension PostgresStore {
    package func sessionsWithUsage(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        var page = try await sessions(query)
        let totals = try await sessionTotals(of: page.sessions.map(\.id))
        for index in page.sessions.indices { page.sessions[index].set(totals) }
        return page
    }

    package func sessionWithUsage(id: String) async throws(PersistenceError) -> Session? {
        guard var session = try await session(id: id) else { return nil }
        session.set(try await sessionTotals(of: [id]))
        return session
    }

    package func statisticsWithUsage(now: Timestamp) async throws(PersistenceError) -> SessionStatistics {
        var statistics = try await statistics(now: now)
        var query = RequestUsageQuery()
        query.includesChats = false
        let total = try await usageSums(query).total
        guard total.requests > 0 else { return statistics }
        statistics.tokens = total.tokens.usage
        statistics.totalCost = total.cost
        return statistics
    }

    /// The tokens and cost of a row come from its requests, by their time. Without requests, they come from hooks.
    package func usageWithRequests(_ query: UsageQuery) async throws(PersistenceError) -> [UsageRow] {
        var rows = try await usage(query)
        guard let by = RequestUsageQuery.Dimension(rawValue: query.by.rawValue), by != .tool else { return rows }
        var asked = RequestUsageQuery()
        (asked.from, asked.to, asked.by) = (query.from, query.to, by)
        (asked.machine, asked.workspaceID, asked.zone) = (query.machine, query.workspaceID, query.zone)
        var groups: [String: UsageSum] = [:]
        for group in try await usageSums(asked).groups { groups[group.key] = group }
        for index in rows.indices {
            guard let group = groups.removeValue(forKey: rows[index].key) else { continue }
            rows[index].sessions?.set(group)
        }
        for group in groups.values.sorted(by: { $0.key < $1.key }) {
            var sessions = UsageRow.Sessions()
            sessions.set(group)
            let events = by == .model ? nil : UsageRow.Events()
            rows.append(UsageRow(key: group.key, name: group.name, events: events, sessions: sessions))
        }
        if by == .day { rows.sort { $0.key < $1.key } }
        return rows
    }
}

extension UsageRow.Sessions {
    fileprivate mutating func set(_ sum: UsageSum) {
        (tokens, cost) = (sum.tokens.usage, sum.cost)
        (source, confidence, difference) = (sum.source, sum.confidence, sum.difference)
        unpriced = sum.unpriced.requests > 0 ? sum.unpriced : nil
    }
}

extension Session {
    fileprivate mutating func set(_ totals: [String: SessionTotals]) {
        guard let total = totals[id] else { return }
        // The machine's heartbeats reported the end, not the client.
        let wasLost = endedAt != nil && stateSource == .heartbeat
        set(total.usage(endedInOrder: endedAt != nil && !wasLost, wasLost: wasLost))
    }
}
