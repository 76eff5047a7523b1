internal import API
internal import JSON

/// The schemas of models and their prices.
extension JSONSchema {
    static let models: [(SchemaName, String)] = [
        (
            "Model",
            object([
                "id": text, "object": words("model"), "created": count, "owned_by": text, "permission?": texts,
                "root?": text, "parent?": #"{"type":"null"}"#, "context_window?": count, "machines": texts,
            ])
        ),
        ("ModelPage", page("data", "Model")),
        (
            "TokenRates",
            object([
                "input": number, "output": number, "cache_read": number, "cache_write_5m": number,
                "cache_write_1h": number,
            ])
        ),
        (
            "TokenPrice",
            all(
                of: one("TokenRates"),
                object(["long_prompt?": all(of: one("TokenRates"), object(["above_tokens": count]))])
            )
        ),
        (
            "Price",
            all(
                of: one("TokenPrice"),
                object([
                    "currency": words("USD"), "per_tokens": count, "effective_from": dateOrNull,
                    "per_million": one("TokenPrice"),
                ])
            )
        ),
        (
            "ModelCapabilities",
            object([
                "id": text, "name": text, "description": text, "aliases": texts, "machines": texts, "efforts": texts,
                "max_tokens?": count, "max_output_tokens?": count, "supports_streaming": flag, "supports_tools": flag,
                "pricing?": one("Price"), "price_history": list("Price"),
            ])
        ),
        (
            "ModelDetail",
            all(of: one("Model"), all(of: one("ModelCapabilities"), object(["training_data": textOrNull])))
        ),
        (
            "ModelCapabilityPage",
            all(
                of: page("models", "ModelCapabilities"),
                object(["total": count, "provider": text, "adapter": text, "price_source": text])
            )
        ),
    ]
}
