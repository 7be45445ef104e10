"""`read_skill`: the one way to a skill's instructions."""

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.tools.tool import Answer, AnyTool, Tool
from skills.catalog import SkillCatalog


class ReadSkill(BaseModel, frozen=True):
    name: str = Field(description="Name of a skill from the list.")


def skill_tools(catalog: SkillCatalog) -> tuple[AnyTool, ...]:
    async def read_skill(arguments: ReadSkill) -> Answer:
        skill = catalog.find(arguments.name.strip())
        if skill is None:
            msg = f"there is no skill {arguments.name!r}; there are: {', '.join(catalog.names)}"
            raise ToolError(msg)
        return Answer(summary=f"instructions of {skill.name}", body=skill.body())

    return (
        Tool(
            name="read_skill",
            description="The instructions of a skill. Read those that your todo names before you write code.",
            arguments=ReadSkill,
            call=read_skill,
            subject="name",
        ),
    )
