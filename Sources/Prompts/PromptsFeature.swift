package import API
internal import Audit
package import EventModel
internal import JSON
package import Persistence

extension Feature {
    /// Prompts, the hooks that wait for an answer, and the answers.
    package static func prompts(
        _ service: PromptService,
        database: any StoreAccess,
        clock: @escaping @Sendable () -> Timestamp
    ) -> Feature {
        var feature = Feature("prompts")
        feature.routes =
            PromptRoutes(database: database, reader: service.reader, clock: clock).routes
            + OnePromptRoute(reader: service.reader, answers: service.answers).routes
            + AnswerRoutes(service: service.answers).routes + HoldRoutes(service: service.holds).routes
            + TrailRoutes(database: database).routes
        feature.schemas = JSONSchema.prompts
        feature.erasure = [
            ErasureStep([
                Statement(
                    "erase_holds",
                    """
                    DELETE FROM prompt_holds t WHERE \(isErased) OR t.prompt_id IN (
                        SELECT p.id FROM prompts p JOIN erased_sessions s USING (session_id))
                    """
                ),
                Statement("erase_answers", "DELETE FROM prompt_answers t WHERE \(isErased)"),
                TrailStatements.erase,
            ])
        ]
        feature.forgetErased = { await service.holds.forgetErased() }
        feature.metrics = { service.hooks.write(to: &$0) }
        feature.run = { await service.run() }
        return feature
    }

    private static let isErased = """
        EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """
}
