"""`remanence serve`: the app without its window. Ends cleanly on SIGTERM, SIGINT and SIGHUP. Source: DESIGN section 3, R18."""

import signal
import threading
from collections.abc import Mapping
from types import FrameType
from typing import Annotated

import typer

from app.cli.options import SetOption, places_of, read_flags
from app.cli.output import print_line
from app.cli.process import prefer_latency, start_log, stop_log
from app.places import Places
from app.settings import load_settings


def serve(
    context: typer.Context,
    port: Annotated[
        int | None, typer.Option(help="First choice of port; 0 takes a free one.", min=0, max=65535)
    ] = None,
    set_: SetOption = None,
) -> None:
    """Run without a window: capture and answer until ended."""
    stop = threading.Event()
    _stop_on_signals(stop)
    places, flags = places_of(context), read_flags(set_)
    settings = load_settings(places.config_path, flags=flags).settings
    log = start_log(places, settings.log_bytes)
    try:
        _serve(places, flags, port, stop)
    finally:
        stop_log(log)


def _serve(places: Places, flags: Mapping[str, object], port: int | None, stop: threading.Event) -> None:
    from app.api import Engine
    from app.server import start_server

    prefer_latency()
    engine = Engine.open(places, flags=flags, owner="serve")
    try:
        server = start_server(engine, port=port)
        try:
            place = server.endpoint
            print_line(f"Listening on http://{place.host}:{place.port}", is_flushed=True)
            if place.socket_path:
                print_line(f"and on {place.socket_path}", is_flushed=True)
            # a daemon: an end that comes while it still imports must not wait for it (R18)
            threading.Thread(target=engine.warm_up, name="remanence-warm-up", daemon=True).start()
            stop.wait()
        finally:
            server.stop()
    finally:
        engine.close()


def _stop_on_signals(stop: threading.Event) -> None:
    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):  # SIGHUP: the terminal was closed, the person logged out
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # under nohup it goes on
            signal.signal(number, on_signal)
