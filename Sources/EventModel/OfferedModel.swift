/// A model that Claude Code offers on a machine.
package struct OfferedModel: Sendable, Equatable {
    /// What `claude --model` takes, such as `sonnet`.
    package let name: String
    /// The API's id of the model, such as `claude-sonnet-5-5`.
    package let id: String
    package let title: String?
    package let description: String?
    /// Such as `low` and `high`.
    package let efforts: [String]

    package init(name: String, id: String, title: String? = nil, description: String? = nil, efforts: [String] = []) {
        (self.name, self.id, self.title) = (name, id, title)
        (self.description, self.efforts) = (description, efforts)
    }
}

/// The models of one machine, in the client's order.
package struct MachineModels: Sendable, Equatable {
    package let machineName: String
    package let models: [OfferedModel]

    package init(machineName: String, models: [OfferedModel]) {
        (self.machineName, self.models) = (machineName, models)
    }
}
