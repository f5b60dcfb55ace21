"""What leaves the machine: whether it only reads there or changes something."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.apply import always, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.lists import listed, table
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import shown, static, unknown

_LOCAL = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]")
_READING = re.compile(
    r"list|ls|get|describe|show|view|status|info|search|lookup|read|explain|logs?|top|diff|version|config|help|head|tail|"
    r"history|events|api-resources|api-versions|cluster-info|watch|checks|checkout|browse|download|outdated|inspect|"
    r"(?:list|get|describe|batch-get|lookup|filter|scan|query|head|search|select|test|check|estimate|preview|view)-[\w-]+"
)
"""subcommands that only ask"""
_TAKING = re.compile(
    r"(?:^|[-:_ ])(?:rm|rb|delete|del|destroy|remove|drop|reset|purge|prune|flush\w*|truncate|terminate|unpublish|"
    r"uninstall|drain|wipe)\b|accept-data-loss|--force\b",
    re.IGNORECASE,
)
"""words that take something away"""
_SECRETS = re.compile(
    r"\bsecrets?\b|\btokens?\b|get-(?:session|access|login|authorization)-?\w*|get-secret-value|get-password|get-parameter|"
    r"print-access-token|print-identity-token|decrypt|list-access-keys|create-access-key|assume-role"
)
"""words that fetch a credential"""


_HOST_ROOT = re.compile(r"(?:-v|--volume)[= ]?/:|(?:source|src)=/(?:,|$|\s)")
_HOST_RIGHTS = re.compile(rf"{_HOST_ROOT.pattern}|--privileged|docker\.sock|--pid[= ]host")


def web(command: Command, spec: Spec, options: Options) -> None:
    """`curl` and `wget`: a method, data or an upload makes it more than reading."""
    method, words = _method(command, options)
    settings(command, spec, options)
    sends = method not in ("", "GET", "HEAD", "OPTIONS") or any(u.role in ("upload", "external") for u in options.used)
    if options.has("-G", "--get") and method == "":
        sends = any(u.role == "external" for u in options.used)
    if not words:
        command.outward(Verb.EXTERNAL if sends else Verb.NET_READ)
    for word in words:
        if sends or (unknown(word) and "?" in word):
            command.send(word)
        else:
            command.net(word)
        named = (
            options.has("-O", "--remote-name")
            if spec.name == "curl"
            else not options.has("-O", "--output-document", "--spider")
        )
        if named:
            command.write(_page(word))
    if spec.name == "wget" and options.value("-O", "--output-document") == "-":
        command.out = None


def _method(command: Command, options: Options) -> tuple[str, list[str]]:
    """The method of `-X`, in all its spellings, and the addresses."""
    method = ""
    todo = list(command.words[1:])
    taken = []
    for at, word in enumerate(todo):
        found = re.fullmatch(r"(?:-[a-zA-Z#]*X|--request=?)(.*)", word)
        if found:
            method = found[1] or (todo[at + 1] if at + 1 < len(todo) else "")
            if not found[1]:
                taken.append(method)
    if method and not static(method):
        method = "?"
    options.unknown = [n for n in options.unknown if n not in ("-X", "--request")]
    for word in taken:
        if word in options.operands:
            options.operands.remove(word)
    return method.upper(), options.operands


def _page(word: str) -> str:
    """The file that a download is called."""
    path = re.sub(r"^[a-z]+://", "", word).split("?")[0]
    return path.rsplit("/", 1)[-1] if "/" in path and not path.endswith("/") else "index.html"


def outside(command: Command, spec: Spec, options: Options) -> None:
    """Programs that reach others in any case; only their version and help do not."""
    words = command.words[1:]
    if words and all(w in ("--version", "-V", "--help", "version") for w in words):
        return
    settings(command, spec, options)
    always(command, spec)
    for word in options.operands:
        command.look(word)


def ping(command: Command, spec: Spec, options: Options) -> None:
    """A name that is looked up leaves the machine, unless it is this one."""
    settings(command, spec, options)
    words = options.operands
    if words and all(_LOCAL.fullmatch(w) for w in words):
        return
    for word in words or [""]:
        command.net(word)


def github(command: Command, spec: Spec, options: Options) -> None:
    """`gh`: what lists or shows reads, everything else changes something."""
    words = [w for w in command.words[1:] if not w.startswith("-")]
    area, verb = (words[0] if words else ""), (words[1] if len(words) > 1 else "")
    if not words or area in ("help", "version", "completion") or command.words[1:] == ["--version"]:
        return
    if (area, verb) == ("auth", "token") or "--show-token" in command.words:
        command.effect(Verb.SECRET, "", "the login token")
        return
    if area == "api":
        changes = any(
            re.fullmatch(r"-[fF].*|--(?:raw-)?field.*|--input.*|(?:-X|--method)=?(?!GET$).*", w) for w in command.words
        )
        given = [command.words[i + 1] for i, w in enumerate(command.words[:-1]) if w in ("-X", "--method")]
        if "graphql" in words or (changes and given != ["GET"]):
            command.outward(Verb.EXTERNAL, "", spec.why)
        else:
            command.outward(Verb.NET_READ, "", "reads at the forge")
        return
    reads = _READING.fullmatch(verb) or (area in ("status", "search", "browse") and static(area))
    if reads and verb != "checkout":
        command.outward(Verb.NET_READ, "", "reads at the forge")
    else:
        always(command, spec)
    del options


def cloud(command: Command, spec: Spec, options: Options) -> None:
    """Clouds and clusters: going by the verb."""
    del options
    words = [w for w in command.words[1:] if not w.startswith("-")]
    if command.words[1:] in (["--version"], ["version", "--client"]) or words[:1] in (
        ["version"],
        ["help"],
        ["completion"],
    ):
        return
    if words and words[0] in table("local_subcommands").get(spec.name, ()):
        command.project("works on files of the workspace")
        return
    text = " ".join(words)
    if _SECRETS.search(text):
        command.effect(Verb.SECRET, "", "credentials of the service")
    verb = (
        words[0]
        if spec.name in ("kubectl", "oc", "k", "helm", "terraform", "tofu", "stern", "kind", "minikube", "k3d")
        else _verb(words)
    )
    known = bool(words) and all(static(w) for w in words[:3])
    reads = (
        known
        and _READING.fullmatch(verb or "") is not None
        and "configure" not in words
        and not ("config" in words and "set" in text)
    )
    if reads and not _TAKING.search(text):
        command.outward(Verb.NET_READ, "", "asks the service")
    else:
        command.outward(Verb.EXTERNAL, "", spec.why)
        if not known:
            command.opaque("what it asks the service to do")
        if _TAKING.search(text):
            command.effect(Verb.DELETE, "", "takes something away there")


def _verb(words: list[str]) -> str:
    """The word that says what is done: for `aws` the second, for the others the last of the leading ones."""
    lead = [w for w in words if re.fullmatch(r"[a-z][a-z0-9-]*", w)]
    return next((w for w in lead[1:] if _READING.fullmatch(w)), lead[1] if len(lead) > 1 else "")


def container(command: Command, spec: Spec, options: Options) -> None:
    """Containers are run by a daemon outside the sandbox, often with the rights of the machine."""
    del options
    words = command.words[1:]
    if words in (["--version"], ["version"], ["-v"], ["info"], ["compose", "version"]):
        return
    lead = [w for w in words if not w.startswith("-")][:3]
    if lead and lead[0] in listed("container_areas"):
        lead = lead[1:]
    verb, about = "".join(lead[:1]), shown(" ".join(lead[1:]))
    _given_to_container(command, " ".join(words), verb)
    match next((does for does, verbs in table("container_verbs").items() if verb in verbs), ""):
        case "asks":
            command.effect(Verb.NET_READ, "", "asks a daemon outside the sandbox")
        case "publishes":
            command.outward(Verb.EXTERNAL, "", "publishes or changes what others use")
        case "stops":
            command.effect(Verb.KILL, about, "stops containers")
            command.outward(Verb.EXTERNAL, "", "acts outside the sandbox")
        case "removes":
            command.effect(Verb.DELETE, about, "containers, images or volumes")
            command.outward(Verb.EXTERNAL, "", "acts outside the sandbox")
        case "builds":
            command.effect(Verb.WRITE_OUT, "", "images outside the workspace")
            command.outward(Verb.NET_READ, "", "fetches what the build needs")
            command.opaque("what the build does")
        case "runs":
            command.opaque("what runs in the container")
            command.outward(Verb.NET_READ, "", "acts outside the sandbox")
        case _:
            command.opaque(f"what {spec.name} {shown(' '.join(words[:2]))} does")


def _given_to_container(command: Command, text: str, verb: str) -> None:
    """Folders and rights of the machine that a container is given."""
    if _HOST_RIGHTS.search(text):
        whole = _HOST_ROOT.search(text) is not None and verb == "run"
        command.effect(Verb.PRIV, "", "gives a container the machine", "host_root" if whole else "")


def database(command: Command, spec: Spec, options: Options) -> None:
    """Databases: a statement may take away what no history of ours brings back."""
    text = " ".join(command.words)
    if command.words[1:] in (["--version"], ["-V"], ["--help"]):
        return
    words = [w for w in command.words[1:] if not w.startswith("-")]
    if words and words[0] in table("local_subcommands").get(spec.name, ()):
        command.project()
        return
    if spec.name == "sqlite3":
        command.opaque("what the statement or a dot command does")
        for word in words[:1]:
            command.write(word)
        return
    settings(command, spec, options)
    always(command, spec)
    if _TAKING.search(text) or spec.name in ("dropdb", "dropuser"):
        command.effect(Verb.DELETE, "", "takes away what is stored there")
    command.out = Stream(None)
