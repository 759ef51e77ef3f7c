// What a function takes, inferred from its type hints and docstring (C34).
import { Cage, expect, test } from "./harness";

const TOOLSET = {
  "tools/typed.py": `
import enum
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict, Union

from satchel import tool

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

@dataclass
class Point:
    """A place.

    Args:
        x: To the right.
    """
    x: int
    y: float = 0.0
    tags: list[str] = field(default_factory=list)

class Options(TypedDict):
    depth: int
    name: NotRequired[str]

@tool
def google(text: str, count: int = 3, ratio: Optional[float] = None, colour: Colour = Colour.RED, kind: Literal["a", "b"] = "a"):
    """Counts words.

    More about it.

    Args:
        text: What to count,
            over two lines.
        count (int): How many.

    Returns:
        dict: nothing of interest
    """
    return {}

def numpy(workspace: Path, names: list[str], table: dict[str, int], either: Union[int, str], point: Point, options: Options,
          pair: tuple[int, str], loose=None, noted: Annotated[int, "A note."] = 1, **rest):
    """Does things.

    Parameters
    ----------
    names : list of str
        The names.
    table, either
        Both.

    Returns
    -------
    dict
        Nothing.
    """
    return {}

@tool(description="Said by the decorator.")
def sphinx(first, second: "int", third: "Missing" = 1):
    """Ignored.

    :param first: The first,
        and more.
    :param int second: The second.
    :returns: nothing
    """
    return {}

class Tree(TypedDict):
    children: list["Tree"]

def recursive(tree: Tree, anything: Any):
    return {}
`,
};

test("a schema is made of hints, defaults and docstring", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const describe = (name: string) => cage.plain({ type: "describe", entrypoint: `tools.typed:${name}` });
  expect(await describe("google")).toMatchObject({
    type: "described",
    description: "Counts words.\n\nMore about it.",
    input_schema: {
      type: "object",
      properties: {
        text: { type: "string", description: "What to count, over two lines." },
        count: { type: "integer", description: "How many.", default: 3 },
        ratio: { type: ["number", "null"], default: null },
        colour: { type: "string", enum: ["red", "blue"] },
        kind: { type: "string", enum: ["a", "b"], default: "a" },
      },
      required: ["text"],
      additionalProperties: false,
    },
  });
  const numpy = await describe("numpy");
  expect(numpy.description).toBe("Does things.");
  expect(numpy.input_schema).toEqual({
    type: "object",
    properties: {
      names: { type: "array", items: { type: "string" }, description: "The names." },
      table: { type: "object", additionalProperties: { type: "integer" }, description: "Both." },
      either: { type: ["integer", "string"], description: "Both." },
      point: {
        type: "object",
        description: "A place.",
        properties: {
          x: { type: "integer", description: "To the right." },
          y: { type: "number" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["x"],
      },
      options: { type: "object", properties: { depth: { type: "integer" }, name: { type: "string" } }, required: ["depth"] },
      pair: { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], minItems: 2, maxItems: 2 },
      loose: { default: null },
      noted: { type: "integer", description: "A note.", default: 1 },
    },
    required: ["names", "table", "either", "point", "options", "pair"],
  });
  expect(await describe("sphinx")).toMatchObject({
    description: "Said by the decorator.",
    input_schema: {
      properties: { first: { description: "The first, and more." }, second: { description: "The second." }, third: { default: 1 } },
      required: ["first", "second"],
    },
  });
  expect((await describe("recursive")).input_schema.properties.tree.type).toBe("object");
  expect(await describe("missing")).toMatchObject({ type: "refused", message: "the module 'tools.typed' has no function 'missing'" });
});
