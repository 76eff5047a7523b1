"""usage: mcp_calls.py URL CREDENTIAL MODE   with the calls as JSON in the standard input: [[tool, arguments, _meta?], ...]

Lists the tools and calls some, by the protocol's own client from PyPI, unmodified. MODE is `auto`, `legacy` or a revision. Prints
one JSON object: the negotiated revision, the server, the tools' names, and what each call returned.
"""

import asyncio
import json
import sys

import httpx2
import mcp
from mcp.client.streamable_http import streamable_http_client


async def main(url, credential, mode):
    told = []

    async def progress(value, total, message):
        told.append([value, message])

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {credential}"}, timeout=90) as http:
        async with mcp.Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = (await client.list_tools()).tools
            results = []
            for name, arguments, *meta in json.load(sys.stdin):
                result = await client.call_tool(name, arguments, progress_callback=progress, meta=meta[0] if meta else None)
                results.append({"error": result.is_error, "text": result.content[0].text, "data": result.structured_content})
            print(json.dumps({
                "version": client.protocol_version, "server": client.server_info and client.server_info.name,
                "progress": told, "results": results,
                "tools": [tool.name for tool in tools],
                "asks": [tool.name for tool in tools if not tool.annotations.read_only_hint]}))


asyncio.run(main(*sys.argv[1:]))
