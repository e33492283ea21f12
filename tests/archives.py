"""A tiny Kerttu archive of our own making, as a folder or a zip."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

KERTTU_FILES = {
    "clips/clip_annotations.tsv": "clip_annotation_id\tclip_id\tuser_id\n1\t7\tu1\n2\t8\tu1\n",
    "clips/clip_taxon_annotations.tsv": (
        "clip_annotation_id\ttaxon_id\tannotation\tis_extra_annotation\n"
        "1\tMX.1\t1\tFalse\n1\tMX.2\t0\tFalse\n1\tMX.3\t1\tTrue\n2\tMX.1\t2\tFalse\n"
    ),
    "clips/clips.tsv": "clip_id\taudio_file\n7\tHLO13_20180524_061947_47.mp3\n8\todd.mp3\n9\tx.mp3\n",
    "taxa.tsv": "taxon_id\tvernacular_name_en\nMX.2\tOwl\nMX.1\tWren\nMX.3\tRobin\n",
    "users.tsv": "user_id\tfinnish_bird_song_recognition_skill_level\ttaxon_expertise\n"
    "u1\t3\tMX.2,MX.9\nu2\t1\tMX.1\n",
}


def kerttu_archive(tmp_path, **changes) -> Path:
    for name, content in (KERTTU_FILES | changes).items():
        path = tmp_path / "archive" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "archive"


def kerttu_zip(tmp_path, prefix="") -> Path:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in KERTTU_FILES.items():
            archive.writestr(prefix + name, content)
    path = tmp_path / "kerttu.zip"
    path.write_bytes(buffer.getvalue())
    return path
