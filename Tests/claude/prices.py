"""How the client computes the cost of models, and how it reads their names. The server computes the same from the
transcript."""

from messages_api import Turn
from monitor import wait_until

USAGE = {"input_tokens": 1_000_000, "output_tokens": 100_000, "cache_read_input_tokens": 10_000,
         "cache_creation_input_tokens": 3000, "service_tier": "standard",
         "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000}}

NAMES = """
    claude-fable-5-2 claude-fable-5-1 claude-opus-5-5 claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6
    claude-opus-4-5-20251101 claude-sonnet-5-5 claude-sonnet-5 claude-sonnet-4-6 claude-sonnet-4-5-20250929
    claude-haiku-5-5 claude-haiku-4-5-20251001 claude-3-7-sonnet-20250219 claude-3-5-sonnet-20241022
    claude-3-5-haiku-20241022 anthropic/claude-sonnet-4.5 claude-sonnet-4.5 vertex_ai/claude-sonnet-4-5@20250929
    databricks-claude-sonnet-4-5 us.anthropic.claude-sonnet-4-5-20250929-v1:0 claude-sonnet-4-5[1m]
    claude-3-5-sonnet-v2@20241022 claude-3-7-sonnet-latest my-claude-opus-4-8-proxy claude-opus-9 gpt-5
""".split()

FAST = ["claude-opus-5-5", "claude-opus-4-8", "claude-opus-4-6", "claude-sonnet-5"]

SONNET = "claude-sonnet-4-6"
PART = {"output_tokens": 50_000, "cache_creation_input_tokens": 0}

OTHERS = [
    ("geography", SONNET, {"inference_geo": "us", "server_tool_use": {"web_search_requests": 3, "web_fetch_requests": 0}}),
    ("global", SONNET, {"inference_geo": "global"}),
    ("batch", SONNET, {"service_tier": "batch"}),
    ("priority", SONNET, {"service_tier": "priority"}),
    ("advice", SONNET, {"iterations": [
        {"type": "message", **USAGE},
        {"type": "advisor_message", "model": "claude-opus-4-7", "input_tokens": 100_000, "output_tokens": 4000,
         "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}]}),
    ("short prompts", "claude-haiku-5-5", {
        "input_tokens": 80_000, "output_tokens": 100_000, "cache_read_input_tokens": 80_000, "cache_creation_input_tokens": 0,
        "cache_creation": None, "iterations": [
            {"type": "message", "input_tokens": 80_000, "cache_read_input_tokens": 0, **PART},
            {"type": "message", "input_tokens": 0, "cache_read_input_tokens": 80_000, **PART}]}),
]


def prices(bench, outcome):
    """names, prices, fast answers, regions, searches, advice: the server counts each of them as the client does"""
    machine = bench.bare_machine("prices")
    bench.install(machine, "--no-telemetry")
    cases = [(name, name, {}) for name in NAMES] + [(f"fast {name}", name, {"speed": "fast"}) for name in FAST] + OTHERS
    sessions = []
    for number, (what, model, usage) in enumerate(cases):
        bench.api.script(f"price-{number}", Turn(text="Done.", usage={**USAGE, **usage}))
        result = machine.run(f"[price-{number}] Work.", "--model", model, seconds=60)
        sessions.append((what, model, result))
    for what, model, result in sessions:
        compare(bench, outcome, what, model, result)
    outcome.notes.append(f"{len(cases)} cases")


def compare(bench, outcome, what, model, result):
    used = result["modelUsage"].get(model) or next(iter(result["modelUsage"].values()))
    try:
        total = wait_until(40, f"the transcript of {what} has come", lambda: asked(bench, result["session_id"]))
    except TimeoutError as error:
        outcome.faults.append(str(error))
        return
    expected, found = result["total_cost_usd"], total["total_cost"]
    outcome.expect(abs(expected - found) < 1e-6, f"{what}: {found} dollars; the client counts {expected}: {result['modelUsage']}")
    is_unpriced = used.get("costBasis") == "unknown"
    outcome.expect(bool(total["unpriced"]["requests"]) == is_unpriced, f"{what}: {total['unpriced']}; the client says {used}")


def asked(bench, session):
    total = bench.monitor.get(f"/v1/usage?session_id={session}")["total"]
    return total if total["requests"] else None


ALL = [prices]
