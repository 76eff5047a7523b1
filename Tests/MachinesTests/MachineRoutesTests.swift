import APISamples
import DatabaseSamples
import EventModel
import JSON
import Testing

@testable import Machines

@Suite("The list of machines")
struct MachineRoutesTests {
    @Test("is whole, or a page of it")
    func pages() async throws {
        let store = try TestStore()
        for name in ["studio", "laptop", "mini"] { _ = try store.database.makeMachine(name) }
        let routes = MachineRoutes(
            database: store,
            reports: MachineReports(),
            agents: { _ in [:] },
            releases: AgentReleases([]),
            clock: systemNow
        ).routes
        let all = try await routes.get("/v1/machines").body
        #expect(all["machines"]?.array?.compactMap { $0["name"]?.string } == ["laptop", "mini", "studio"])
        #expect(all["has_more"] == .bool(false))
        let page = try await routes.get("/v1/machines", "page=2&per_page=2").body
        #expect(page["data"]?.array?.compactMap { $0["name"]?.string } == ["studio"])
        #expect(page["pagination"]?["total_items"] == .integer(3))
        let (status, error) = try await routes.get("/v1/machines", "per_page=0")
        #expect(status == 400)
        #expect(error["param"] == .string("per_page"))
    }
}
