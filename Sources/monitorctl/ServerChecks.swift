import Foundation

/// Checks that query the server.
struct ServerChecks {
    var client: HTTPClient

    /// - Returns: `isUsable` if events can be posted and read, so that the round trip can be checked.
    func run() async -> (checks: [DoctorCheck], isUsable: Bool) {
        let asked = Date()
        let reply: HTTPClient.Reply
        do {
            reply = try await client.send("GET", "/health", authorization: .none)
        } catch {
            let advice = "start it (monitor-server serve) or give its address with --url"
            return ([.failed("server", error.message, do: advice)], false)
        }
        let elapsed = Date().timeIntervalSince(asked)
        guard let health = try? ServerJSON.decode(Health.self, reply.body), health.status != nil else {
            let detail = "\(client.server.absoluteString) answered \(reply.status), unlike a monitor server"
            return ([.failed("server", detail, do: "check --url: another program may use the port")], false)
        }
        let reached = "\(client.server.absoluteString), \(Int(elapsed * 1000)) ms"
        let token = await tokenCheck()
        let database = databaseCheck(health, status: reply.status)
        let checks =
            [
                .ok("server", reached), ServerChecks.version(health.version), database, token,
                ServerChecks.clock(server: Moments.parse(health.time), now: asked.addingTimeInterval(elapsed / 2)),
            ] + ServerChecks.transport(to: client.server)
        return (checks, token.status == .ok && database.status == .ok)
    }

    /// - Returns: a warning if who is in the network between can read the token, else nothing.
    static func transport(to server: URL) -> [DoctorCheck] {
        let host = server.host?.lowercased() ?? ""
        let isLocal = host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
        guard server.scheme == "http", !isLocal else { return [] }
        return [
            .warning(
                "tls",
                "\(host) is reached without TLS",
                do: "set MONITOR_TLS_CERT and MONITOR_TLS_KEY on the server, or put a proxy with TLS before it"
            )
        ]
    }

    static func version(_ server: String?) -> DoctorCheck {
        let own = Monitorctl.version
        guard let server else {
            return .warning("version", "the server does not report its version", do: "upgrade the server")
        }
        let sameSeries = server.split(separator: ".").prefix(2) == own.split(separator: ".").prefix(2)
        guard sameSeries else {
            let detail = "server \(server), monitorctl \(own)"
            return .warning("version", detail, do: "install server and monitorctl from one release")
        }
        return .ok("version", server)
    }

    private func databaseCheck(_ health: Health, status: Int) -> DoctorCheck {
        let word = health.database?.status ?? health.status ?? "unknown"
        guard status == 200, health.ok != false, health.database?.ok != false else {
            let detail = [word, health.database?.error].compactMap(\.self).joined(separator: ": ")
            return .failed("database", detail, do: "events are not committed: see the server's log for the cause")
        }
        return .ok("database", word)
    }

    private func tokenCheck() async -> DoctorCheck {
        do {
            _ = try await client.get("/v1/keys")
            return .ok("admin token", "accepted")
        } catch {
            let advice = "set MONITOR_ADMIN_TOKEN, or --data-dir to the server's data directory"
            return .failed("admin token", error.status == 401 ? "not accepted" : error.message, do: advice)
        }
    }

    /// - Parameter server: the server's clock, halfway through the request, or `nil` if the server does not send it.
    static func clock(server: Date?, now: Date) -> DoctorCheck {
        guard let server else {
            return .warning("clock", "the server does not report its time", do: "compare `date -u` on both machines")
        }
        let skew = now.timeIntervalSince(server)
        guard abs(skew) > 2 else { return .ok("clock", "within 2 s of the server's") }
        let detail = "\(Int(abs(skew).rounded())) s \(skew > 0 ? "ahead of" : "behind") the server's"
        return .warning("clock", detail, do: "synchronize the clocks (NTP): events are ordered by their own time")
    }
}
