"""Every address of the workbench, by name: pages, what people do on them (POST), and the JSON API.

A fragment that a page asks for again has an address of its own (`session-rows`, `session-around`, `change-plan` …).
"""

from django.urls import URLPattern, URLResolver, include, path

from workbench.web import paths
from workbench.web.views import api, files, history, home, login, models, queue, session

paths.register()
SESSION = "sessions/<str:session>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("sessions/start", home.start, name="session-start"),
    path(SESSION, session.session, name="session"),
    path(f"{SESSION}rows", session.rows, name="session-rows"),
    path(f"{SESSION}around", session.around, name="session-around"),
    path(f"{SESSION}act/<str:what>", session.act, name="session-act"),
    path(f"{SESSION}mode", session.mode, name="session-mode"),
    path(f"{SESSION}messages", session.message, name="session-message"),
    path(f"{SESSION}rename", session.rename, name="session-rename"),
    path(f"{SESSION}archive", session.archive, name="session-archive"),
    path(f"{SESSION}journal", session.journal, name="session-journal"),
    path(f"{SESSION}file", session.file, name="session-file"),
    path(f"{SESSION}page", session.page, name="session-page"),
    path(f"{SESSION}media/<str:sha256>", session.media, name="session-media"),
    path(f"{SESSION}calls/<int:seq>/output", session.output, name="call-output"),
    path("queue/", queue.queue, name="queue"),
    path("approvals/<int:approval>/decide", queue.decide, name="approval-decide"),
    path("questions/<int:question>/answer", queue.answer, name="question-answer"),
    path("history/", history.history, name="history"),
    path("history/<int:workspace>/", history.history, name="history"),
    path("history/<int:workspace>/<file:path>", history.history, name="history"),
    path("changes/<int:change>/", history.change, name="change"),
    path("changes/<int:change>/plan", history.plan, name="change-plan"),
    path("changes/<int:change>/rollback", history.rollback, name="change-rollback"),
    path("files/", files.files, name="files"),
    path("files/<int:workspace>/", files.files, name="files"),
    path("files/<int:workspace>/<file:path>", files.files, name="files"),
    path("raw/<int:workspace>/<file:path>", files.raw, name="files-raw"),
    path("settings/models/", models.models, name="models"),
    path("settings/models/<int:endpoint>/", models.models, name="models"),
    path("settings/models/save", models.save, name="models-save"),
    path("settings/models/<int:endpoint>/save", models.save, name="models-save"),
    path("settings/models/<int:endpoint>/delete", models.delete, name="models-delete"),
    path("settings/models/test", models.test, name="models-test"),
    path("api/", include((api.patterns(), "api"))),
    path("api/<path:rest>", api.unknown),
    path("login/", login.page, name="login"),
    path("login/<str:token>/", login.link, name="login-link"),
    path("logout/", login.out, name="logout"),
]
