"""Exports of OpenTelemetry as Claude Code sends them, in JSON and in protobuf."""

import struct
import time


def nanoseconds(ago=0.0):
    return int((time.time() - ago) * 1e6) * 1000


def value(content):
    if isinstance(content, bool):
        return {"boolValue": content}
    if isinstance(content, int):
        return {"intValue": str(content)}
    if isinstance(content, float):
        return {"doubleValue": content}
    return {"stringValue": content}


def attributes(fields):
    return [{"key": name, "value": value(content)} for name, content in fields.items()]


def record(name, session, sequence=0, at=None, **fields):
    """A log record. Double underscores in names become dots."""
    at = at or nanoseconds()
    own = {"session.id": session, "event.name": name, "event.sequence": sequence, "user.email": "somebody@example.com"}
    own.update({key.replace("__", "."): content for key, content in fields.items()})
    return {"timeUnixNano": str(at), "observedTimeUnixNano": str(at), "body": {"stringValue": f"claude_code.{name}"},
            "attributes": attributes(own), "droppedAttributesCount": 0}


def request(session, request_id, sequence=0, at=None, model="claude-sonnet-5", cost=0.0014421, **fields):
    """An `api_request` with the figures of a known request."""
    figures = {"model": model, "input_tokens": 12, "output_tokens": 42, "cache_read_tokens": 678,
               "cache_creation_tokens": 345, "cache_creation_5m_tokens": 345, "cache_creation_1h_tokens": 0,
               "cost_usd": cost, "duration_ms": "20", "speed": "normal", "query_source": "repl_main_thread"}
    if request_id:
        figures["request_id"] = request_id
    return record("api_request", session, sequence, at, **{**figures, **fields})


RESOURCE = {"attributes": attributes({"service.name": "claude-code", "service.version": "2.1.329"})}


def logs(*records):
    return {"resourceLogs": [{"resource": RESOURCE, "scopeLogs": [{
        "scope": {"name": "com.anthropic.claude_code.events"}, "logRecords": list(records)}]}]}


def metrics(session, points, at=None):
    """Sums. `points` are (name, value, attributes)."""
    at = str(at or nanoseconds())
    return {"resourceMetrics": [{"resource": RESOURCE, "scopeMetrics": [{"scope": {}, "metrics": [
        {"name": f"claude_code.{name}", "unit": "", "sum": {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [
            {"attributes": attributes({"session.id": session, **more}), "startTimeUnixNano": at, "timeUnixNano": at,
             "asDouble": number}]}} for name, number, more in points]}]}]}


def spans(count):
    return {"resourceSpans": [{"resource": RESOURCE, "scopeSpans": [{"scope": {}, "spans": [
        {"name": str(number)} for number in range(count)]}]}]}


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def any_value(content):
    kind, inner = next(iter(content.items()))
    if kind == "stringValue":
        return field(1, inner.encode())
    if kind == "boolValue":
        return varint(2 << 3) + varint(int(inner))
    if kind == "intValue":
        return varint(3 << 3) + varint(int(inner))
    return varint(4 << 3 | 1) + struct.pack("<d", inner)


def key_value(one):
    return field(1, one["key"].encode()) + field(2, any_value(one["value"]))


def fixed64(number, content):
    return varint(number << 3 | 1) + struct.pack("<Q", int(content))


def log_record(one):
    return (fixed64(1, one["timeUnixNano"]) + (field(5, any_value(one["body"])) if "body" in one else b"")
            + b"".join(field(6, key_value(each)) for each in one["attributes"]) + fixed64(11, one["observedTimeUnixNano"])
            + (field(12, one["eventName"].encode()) if "eventName" in one else b""))


def data_point(one):
    return (fixed64(2, one["startTimeUnixNano"]) + fixed64(3, one["timeUnixNano"])
            + varint(4 << 3 | 1) + struct.pack("<d", one["asDouble"])
            + b"".join(field(7, key_value(each)) for each in one["attributes"]))


def metric(one):
    points = b"".join(field(1, data_point(each)) for each in one["sum"]["dataPoints"])
    return field(1, one["name"].encode()) + field(7, points + varint(2 << 3) + varint(1) + varint(3 << 3) + varint(1))


def resource(one):
    return b"".join(field(1, key_value(each)) for each in one["attributes"])


def protobuf(export):
    """The same export in protobuf."""
    kinds = {"resourceLogs": ("scopeLogs", "logRecords", log_record),
             "resourceMetrics": ("scopeMetrics", "metrics", metric),
             "resourceSpans": ("scopeSpans", "spans", lambda one: field(5, one["name"].encode()))}
    (top, parts), = export.items()
    scopes, items, encode = kinds[top]
    return b"".join(
        field(1, field(1, resource(part["resource"])) + b"".join(
            field(2, field(1, b"") + b"".join(field(2, encode(item)) for item in scope[items])) for scope in part[scopes]))
        for part in parts)
