"""What is known of the other files of the project."""

from __future__ import annotations

from flake8_torchtrace.source.values import Ref, Value


class Project:
    """Knows nothing: the answers when there is no index."""

    def imported(self, dotted: str) -> Value:
        """The value of an imported name."""
        return Ref(dotted)

    def is_module(self, dotted: str) -> bool:
        """Whether the class ``dotted`` is a module."""
        return False

    def returns(self, dotted: str) -> Value | None:
        """What the function ``dotted`` returns."""
        return None

    def attribute(self, dotted: str, name: str) -> Value | None:
        """What the attribute ``name`` of instances of the class ``dotted`` holds."""
        return None

    def note_call(
        self, dotted: str, args: list[Value], keywords: dict[str, Value], chain: tuple[str, ...], owner: str | None, is_method: bool
    ) -> None:
        """Traced code calls ``dotted``."""


NO_PROJECT = Project()
