"""The application: pages and API over HTTP, timelines over WebSockets, agents in the lifespan."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
http = get_asgi_application()  # before the imports below: they need the apps

from workbench.web.consumers import NotHere, QueueConsumer, SessionConsumer  # noqa: E402
from workbench.web.lifespan import lifespan  # noqa: E402
from workbench.web.limits import limited  # noqa: E402
from workbench.web.sockets import guarded  # noqa: E402

sockets = URLRouter(
    [
        path("ws/sessions/<str:session>/", SessionConsumer.as_asgi()),
        path("ws/queue/", QueueConsumer.as_asgi()),
        re_path("", NotHere.as_asgi()),
    ]
)
application = ProtocolTypeRouter({"http": limited(http), "websocket": guarded(sockets), "lifespan": lifespan})
