"""PDFs for tests, written by hand: plain ones, and ones locked with RC4 (revision 2) by a user or owner password."""

import hashlib

_PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def rc4(key: bytes, data: bytes) -> bytes:
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


def _content(text: str) -> bytes:
    return f"BT /F1 24 Tf 50 150 Td ({text}) Tj ET".encode()


def _assembled(objects: list[bytes], trailer: bytes) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)
    return bytes(out)


def _objects(contents: list[bytes]) -> list[bytes]:
    pages = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (pages, len(contents)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * n)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return objects


def plain_pdf(*texts: str) -> bytes:
    return _assembled(_objects([_content(text) for text in texts]), b"")


def pdf_with_password(text: str, *, user: str, owner: str = "owner") -> bytes:
    """Locked; with an empty `user` password anyone may open it."""
    padded_user = (user.encode() + _PAD)[:32]
    owner_entry = rc4(hashlib.md5((owner.encode() + _PAD)[:32]).digest()[:5], padded_user)
    name, rights = b"0123456789abcdef", -44
    key = hashlib.md5(padded_user + owner_entry + rights.to_bytes(4, "little", signed=True) + name).digest()[:5]
    secret = rc4(hashlib.md5(key + (5).to_bytes(3, "little") + b"\0\0").digest()[:10], _content(text))
    objects = _objects([secret])
    objects.append(
        b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >>"
        % (owner_entry.hex().encode(), rc4(key, _PAD).hex().encode(), rights)
    )
    shown = name.hex().encode()
    return _assembled(objects, b"/Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), shown, shown))
