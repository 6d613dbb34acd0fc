"""What a list of memories may be grouped by: the window knows it before it reads anything else of memories."""

from enum import StrEnum


class MemoryGroup(StrEnum):
    """What a list may be grouped by."""

    TYPE = "type"
    PROJECT = "project"
    TOPIC = "topic"
    APP = "app"
    STATUS = "status"
    TRUST = "trust"
    TIME = "time"
