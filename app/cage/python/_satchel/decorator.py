"""`@tool`: the function gets its own arguments and nothing else, and says itself what they are (C34)."""


def tool(function=None, /, **details):
    """Marks a function as a tool. A name, or `name=` and `description=`, may be given; otherwise the function's own are taken."""
    if isinstance(function, str):
        return tool(name=function, **details)

    def mark(function):
        function.__satchel_tool__ = True
        function.__satchel_details__ = details
        return function

    return mark if function is None else mark(function)
