"""Another program that uses a saved toolset by the hub, with the official Python SDK. What it is to do comes as one argument; what it saw is one
line of JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    asked = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {asked['token']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(asked["url"], http_client=http), mode=asked["mode"]) as client:

            async def names() -> list[str]:
                return [tool.name for tool in (await client.list_tools()).tools]

            async def call(tool: str, **arguments: object) -> str:
                return (await client.call_tool(tool, arguments)).content[0].text

            saw = {"version": client.protocol_version, "begins": await names()}
            saw["echoed"] = await call("stand-in_echo", text="hello")
            saw["weather"] = (await client.call_tool("weather_today", {"city": "Rome"})).structured_content
            saw["entered"] = json.loads(await call("enter-configuration-mode"))
            saw["configuring"] = await names()
            if asked["mode"] == "auto":
                # In the newer era a program asks to be told of changes.
                async with client.listen(tools_list_changed=True) as changes:
                    saw["equipped"] = json.loads(await call("equip-toolset", name="review"))["equipped"]
                    saw["announced"] = type(await anext(changes)).__name__
            else:
                saw["equipped"] = json.loads(await call("equip-toolset", name="review"))["equipped"]
            saw["after"] = await names()
            print(json.dumps(saw))


asyncio.run(main())
