"""When something of the example happened: a day at an hour of a working day, or some minutes ago. Local time, as a person lives."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class When:
    days_ago: int = 0
    hour: str = "09:00"
    minutes_ago: int = 0  # instead of day and hour

    def before(self, now: datetime) -> datetime:
        """The moment, as seen from `now`."""
        if self.minutes_ago:
            return now - timedelta(minutes=self.minutes_ago)
        hour, minute = (int(part) for part in self.hour.split(":"))
        day = now.astimezone() - timedelta(days=self.days_ago)
        return day.replace(hour=hour, minute=minute, second=0, microsecond=0).astimezone(now.tzinfo)
