internal import API
package import EventModel
internal import HTTPModel
internal import JSON

/// The models that the machines' Claude Code offers.
extension AgentService {
    private static let modelSeconds = 5.0
    private static let asker = Actor(kind: "rule", name: "models")

    /// The models of the machines whose agents are connected here, as far as the caller may know of them. An agent that
    /// has not told them yet is asked.
    package func offeredModels(for principal: Principal) async -> [MachineModels] {
        let seen = links.all.filter { link in
            (link.may.control || link.may.chats > 0)
                && (principal.may(.read, on: link.machine) || principal.may(.chat, on: link.machine))
        }
        let told = await withTaskGroup(of: MachineModels.self) { group in
            for link in seen {
                group.addTask { MachineModels(machineName: link.machineName, models: await models(of: link)) }
            }
            return await group.reduce(into: [MachineModels]()) { $0.append($1) }
        }
        return told.filter { !$0.models.isEmpty }.sorted { $0.machineName < $1.machineName }
    }

    private func models(of link: AgentLink) async -> [OfferedModel] {
        await link.models.models(steadyClock) { [self] in
            let command = AgentCommand("models/list", id: newID(), by: AgentService.asker, [])
            guard let told = try? await link.call(command, seconds: AgentService.modelSeconds) else { return nil }
            return OfferedModel.list(told)
        }
    }
}

extension OfferedModel {
    private static let mostModels = 100
    private static let mostEfforts = 10

    /// Reads an agent's answer. Returns nil if it has no list.
    static func list(_ told: JSONValue) -> [OfferedModel]? {
        told["models"]?.array.map { $0.prefix(mostModels).compactMap(OfferedModel.init) }
    }

    private init?(_ json: JSONValue) {
        guard let name = json["value"]?.word, !name.isEmpty else { return nil }
        let resolved = json["resolvedModel"]?.word ?? name
        self.init(
            name: name,
            id: resolved.isEmpty ? name : resolved,
            title: json["displayName"]?.word,
            description: json["description"]?.string.map { String($0.prefix(500)) },
            efforts: (json["supportedEffortLevels"]?.array ?? []).prefix(OfferedModel.mostEfforts).compactMap(\.word)
        )
    }
}
