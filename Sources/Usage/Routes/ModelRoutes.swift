internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/models`: the models that the machines' Claude Code offers, in the format of OpenAI-style clients, and their
/// prices.
struct ModelRoutes: Sendable {
    let prices: PriceList
    var aliases = ModelAliases.none
    var offered: @Sendable (Principal) async -> [MachineModels] = { _ in [] }
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/models", .either(.read, .chat), handler: list)
                .described(
                    "The models that machines offer, or those with which an API key may chat.",
                    QueryParameter.pages,
                    as: "ModelPage"
                ),
            Route(.get, "/v1/models/capabilities", .read, handler: capabilities)
                .described(
                    "What the models can do, what they cost, and which machines offer them.",
                    QueryParameter.pages,
                    as: "ModelCapabilityPage"
                ),
            Route(.get, "/v1/models/{id}", .either(.read, .chat), handler: model)
                .described("One model, by id or alias.", as: "ModelDetail"),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/models", .whole)
        let models = try await allowed(request).list
        return ListAnswer(paging, request, at: clock()).response(nil, whole: models) { model, writer in
            writer.beginObject()
            model.writeObject(as: model.id, to: &writer)
            writer.endObject()
        }
    }

    @Sendable private func model(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let asked = request.parameters["id"] ?? ""
        let model = try await allowed(request).model(asked)
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        model.writeObject(as: model.shownID(for: asked), to: &writer)
        writer.textOrNull("training_data", model.record?.trainingData)
        model.writeCapabilities(to: &writer, today: today)
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func capabilities(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/models/capabilities", .whole)
        let today = today
        let models = try await known(for: request).catalog.entries
        return ListAnswer(paging, request, at: clock()).response(
            "models",
            whole: models,
            members: { writer in
                writer.field("total", models.count)
                writer.field("provider", "anthropic")
                writer.field("adapter", "claude-code")
                writer.field("price_source", prices.source)
            },
            write: { model, writer in
                writer.beginObject()
                writer.field("id", model.id)
                writer.strings("machines", model.machines)
                model.writeCapabilities(to: &writer, today: today)
                writer.endObject()
            }
        )
    }

    private func allowed(_ request: RouteRequest) async throws(APIError) -> AllowedModels {
        let (principal, catalog) = try await known(for: request)
        return AllowedModels(of: principal, in: catalog)
    }

    private func known(
        for request: RouteRequest
    ) async throws(APIError) -> (principal: Principal, catalog: ModelCatalog) {
        guard let principal = request.principal, principal.may(.read) || principal.may(.chat) else {
            throw .insufficientScope(request.principal?.lacking(.read) ?? "This needs a credential.")
        }
        return (principal, ModelCatalog(await offered(principal), prices, aliases))
    }

    private var today: String { String(clock().description.prefix(10)) }
}

extension ModelEntry {
    /// A name with a date is an id of its own: a client that requests it gets the same name back.
    fileprivate func shownID(for name: String) -> String {
        ModelRecord.withoutDay(name) == nil ? id : name
    }

    /// The members of OpenAI's model object. `created` is 0 if no date is known.
    fileprivate func writeObject(as name: String, to writer: inout JSONWriter) {
        let created = record?.since.flatMap { Timestamp(rfc3339: $0 + "T00:00:00Z") }
        writer.field("id", name)
        writer.field("object", "model")
        writer.field("created", (created?.microseconds ?? 0) / 1_000_000)
        writer.field("owned_by", "anthropic")
        writer.beginArray("permission")
        writer.endArray()
        writer.field("root", record?.family ?? id)
        writer.null("parent")
        if let record { writer.field("context_window", record.contextWindow) }
        writer.strings("machines", machines)
    }

    fileprivate func writeCapabilities(to writer: inout JSONWriter, today: String) {
        writer.field("name", name)
        writer.field("description", description)
        writer.strings("aliases", names)
        if let record { writer.field("max_tokens", record.contextWindow) }
        writer.field("max_output_tokens", record?.maximumOutput.map(Int64.init))
        writer.field("supports_streaming", true)
        writer.field("supports_tools", true)
        writer.strings("efforts", efforts)
        if let price = record?.price(on: today) {
            writer.beginObject("pricing")
            price.write(to: &writer)
            writer.endObject()
        }
        writer.beginArray("price_history")
        for price in record?.prices ?? [] {
            writer.beginObject()
            price.write(to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension ModelPrice {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("currency", "USD")
        writer.field("per_tokens", 1000)
        writer.textOrNull("effective_from", effectiveFrom)
        write(\.perThousand, to: &writer)
        writer.beginObject("per_million")
        write(\.self, to: &writer)
        writer.endObject()
    }

    private func write(_ unit: (TokenRates) -> TokenRates, to writer: inout JSONWriter) {
        unit(rates).write(to: &writer)
        guard let longPrompt else { return }
        writer.beginObject("long_prompt")
        writer.field("above_tokens", longPrompt.threshold)
        unit(longPrompt.rates).write(to: &writer)
        writer.endObject()
    }
}

extension TokenRates {
    /// Divided so that the decimals stay as short as those of the rates per million tokens.
    fileprivate var perThousand: TokenRates {
        func part(_ rate: Double) -> Double { (rate * 1e6).rounded() / 1e9 }
        return TokenRates(
            part(input),
            part(output),
            read: part(cacheRead),
            write5m: part(cacheWrite5m),
            write1h: part(cacheWrite1h)
        )
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("input", input)
        writer.field("output", output)
        writer.field("cache_read", cacheRead)
        writer.field("cache_write_5m", cacheWrite5m)
        writer.field("cache_write_1h", cacheWrite1h)
    }
}
