"""Every address of the workbench, by name.

| name | address | view |
|---|---|---|
| home | / | home.home |
| session-start (POST) | /sessions/start | home.start |
| session | /sessions/<id>/ | session.session |
| session-rows | /sessions/<id>/rows?before= | session.rows |
| session-act (POST) | /sessions/<id>/act/<pause, resume, stop> | session.act |
| session-mode (POST) | /sessions/<id>/mode | session.mode |
| session-message (POST) | /sessions/<id>/messages | session.message |
| session-rename, session-archive, session-rewind (POST) | /sessions/<id>/… | session.… |
| call-output | /sessions/<id>/calls/<call>/output | session.output |
| queue | /queue/ | queue.queue |
| approval-decide (POST) | /approvals/<n>/decide | queue.decide |
| question-answer (POST) | /questions/<n>/answer | queue.answer |
| history | /history/<workspace>/<path> | history.history |
| change | /changes/<n>/ | history.change |
| change-rollback (POST) | /changes/<n>/rollback | history.rollback |
| files | /files/<workspace>/<path> | files.files |
| models | /settings/models/ | models.models |
| login, login-link, logout | /login/… | login.… |
"""

from django.urls import URLPattern, URLResolver, include, path

from workbench.web.views import api, login

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include((api.patterns(), "api"))),
    path("api/<path:rest>", api.unknown),
    path("login/", login.page, name="login"),
    path("login/<str:token>/", login.link, name="login-link"),
    path("logout/", login.out, name="logout"),
]
