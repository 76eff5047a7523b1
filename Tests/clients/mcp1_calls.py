"""usage: mcp1_calls.py URL CREDENTIAL   with the calls as JSON in the standard input: [[tool, arguments], ...]

Lists the tools and calls some, by version 1 of the protocol's own client from PyPI, unmodified. It knows no stateless revision.
Prints one JSON object: the negotiated revision, the server, the tools' names, and what each call returned.
"""

import asyncio
import json
import sys

import mcp
from mcp.client.streamable_http import streamablehttp_client


async def main(url, credential):
    told = []

    async def progress(value, total, message):
        told.append([value, message])

    async with streamablehttp_client(url, headers={"Authorization": f"Bearer {credential}"}) as (read, write, _):
        async with mcp.ClientSession(read, write) as client:
            started = await client.initialize()
            await client.send_ping()
            tools = (await client.list_tools()).tools
            results = []
            for name, arguments in json.load(sys.stdin):
                result = await client.call_tool(name, arguments, progress_callback=progress)
                results.append({"error": result.isError, "text": result.content[0].text, "data": result.structuredContent})
            print(json.dumps({
                "version": started.protocolVersion, "server": started.serverInfo.name, "progress": told, "results": results,
                "tools": [tool.name for tool in tools],
                "asks": [tool.name for tool in tools if not tool.annotations.readOnlyHint]}))


asyncio.run(main(*sys.argv[1:]))
