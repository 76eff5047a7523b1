internal import JSON

extension PriceList {
    /// Why a price file cannot be used.
    package struct FileFault: Error, CustomStringConvertible {
        package var description: String
    }

    /// The list that is built into this program. `source` names the client whose model catalog has these rates, and
    /// `scripts/check-prices` compares the two. Haiku 3, which the client does not price, has the list price of its
    /// time. A new price is a new entry with its first day; the old entry stays for earlier days.
    package static let standard = (try? PriceList(file: PackageResources.prices_json, over: nil)) ?? .none

    private static let none = PriceList(models: [], source: "none", day: "")

    /// Reads the operator's prices, a file of the same form as `prices.json`. The models of the file replace built-in
    /// ones with the same id; the others stay.
    package init(file bytes: [UInt8]) throws(FileFault) {
        try self.init(file: bytes, over: .standard)
    }

    private init(file bytes: [UInt8], over other: PriceList?) throws(FileFault) {
        guard let json = try? JSONValue.parse(bytes), json.isObject, let listed = json["models"]?.array else {
            throw FileFault(description: "is not a JSON object with the member models")
        }
        var own: [ModelRecord] = []
        for (index, item) in listed.enumerated() {
            guard let model = ModelRecord(file: item) else {
                throw FileFault(description: "models[\(index)] needs an id, and prices of five rates each, from 0 up")
            }
            own.append(model)
        }
        let replaced = Set(own.map(\.id))
        self.init(
            models: own + (other?.models.filter { !replaced.contains($0.id) } ?? []),
            source: json["source"]?.string ?? "the operator's price file",
            day: json["day"]?.string ?? other?.day ?? ""
        )
    }
}

extension ModelRecord {
    fileprivate init?(file json: JSONValue) {
        guard let id = json["id"]?.string, !id.isEmpty, let listed = json["prices"]?.array, !listed.isEmpty else {
            return nil
        }
        let prices = listed.compactMap(ModelPrice.init(file:))
        guard prices.count == listed.count else { return nil }
        self.init(
            id: id,
            aliases: (json["aliases"]?.array ?? []).compactMap(\.string),
            contextWindow: json["context"]?.integer.flatMap { Int(exactly: $0) } ?? 200_000,
            maximumOutput: json["maximum_output"]?.integer.flatMap { Int(exactly: $0) },
            trainingData: json["training_data"]?.string,
            prices: prices.sorted { ($0.effectiveFrom ?? "") < ($1.effectiveFrom ?? "") }
        )
    }
}

extension ModelPrice {
    fileprivate init?(file json: JSONValue) {
        guard let rates = TokenRates(file: json) else { return nil }
        self.init(
            from: json["from"]?.string,
            rates,
            above: json["above"]?.integer.flatMap { Int(exactly: $0) },
            json["long_prompt"].flatMap { TokenRates(file: $0) },
            fast: json["fast"].flatMap { TokenRates(file: $0) }
        )
    }
}

extension TokenRates {
    fileprivate init?(file json: JSONValue) {
        func rate(_ name: String) -> Double? { json[name]?.double.flatMap { $0 >= 0 && $0 < 1e6 ? $0 : nil } }
        guard let input = rate("input"), let output = rate("output"), let read = rate("cache_read"),
            let write5m = rate("cache_write_5m"), let write1h = rate("cache_write_1h")
        else { return nil }
        self.init(input, output, read: read, write5m: write5m, write1h: write1h)
    }
}
