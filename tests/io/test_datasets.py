"""The download, against a stand-in for doi.org and Zenodo on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch.downloaders
import pytest

import dawnchorus as dc
from archives import KERTTU_FILES, kerttu_zip
from dawnchorus.common.errors import DownloadError

RECORD = "7030863"


class Zenodo(BaseHTTPRequestHandler):
    files: dict[str, bytes] = {}
    damaged = False

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        if self.path == f"/api/records/{RECORD}":
            host = f"http://127.0.0.1:{self.server.server_port}"
            listing = [
                {
                    "key": name,
                    "checksum": f"md5:{hashlib.md5(content).hexdigest()}",
                    "links": {"self": f"{host}/files/{name}"},
                }
                for name, content in self.files.items()
            ]
            self.answer(json.dumps({"id": int(RECORD), "files": listing}).encode())
        elif self.path.startswith("/files/") and name in self.files:
            self.answer(self.files[name] + (b"?" if self.damaged else b""))
        else:
            self.send_error(404)

    def answer(self, content: bytes):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def zenodo(monkeypatch, tmp_path):
    """A server with the archive as a zip; the names of the real hosts lead to it."""
    Zenodo.files = {
        "kerttu.zip": kerttu_zip(tmp_path).read_bytes(),
        "audio.wav": b"large, and not wanted",
    }
    Zenodo.damaged = False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Zenodo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(pooch.downloaders.ZenodoRepository, "base_api_url", f"{address}/api/records")
    monkeypatch.setattr(
        pooch.downloaders, "doi_to_url", lambda doi, **_: f"https://zenodo.org/records/{RECORD}"
    )
    yield server
    server.shutdown()
    server.server_close()


def test_downloads_once_with_checksums(zenodo, tmp_path, capsys):
    first = dc.datasets.kerttu(cache=tmp_path / "cache")
    assert first.n_reports == 1
    assert "kerttu.zip" in capsys.readouterr().err  # the progress bar
    assert not (tmp_path / "cache/kerttu/audio.wav").exists()
    zenodo.shutdown()  # no network any more
    assert dc.datasets.kerttu(cache=tmp_path / "cache", drop_unreported=True) == first


def test_loose_files_work_as_well(zenodo, tmp_path):
    files = KERTTU_FILES
    clips = kerttu_zip(tmp_path).read_bytes()
    Zenodo.files = {"clips.zip": clips} | {n: c.encode() for n, c in files.items() if "/" not in n}
    assert dc.datasets.kerttu(cache=tmp_path / "cache", progress=False).n_reports == 1


def test_a_damaged_download_is_refused(zenodo, tmp_path):
    Zenodo.damaged = True
    with pytest.raises(DownloadError, match="hash of downloaded file"):
        dc.datasets.kerttu(cache=tmp_path / "cache", progress=False)
    assert not (tmp_path / "cache/kerttu/kerttu.zip").exists()


def test_without_a_network_the_message_helps(monkeypatch, tmp_path):
    def unreachable(*_, **__):
        raise OSError("Network is unreachable")

    monkeypatch.setattr(pooch.downloaders, "doi_to_url", unreachable)
    with pytest.raises(DownloadError) as error:
        dc.datasets.kerttu(cache=tmp_path / "cache", progress=False)
    message = str(error.value)
    assert "Network is unreachable" in message
    assert "https://doi.org/10.5281/zenodo.7030863" in message
    assert "dc.read" in message
    assert "dc." not in error.value.at_command_line()
