"""A file that is damaged, cut off or missing says so, whichever byte it is; and nothing is unpickled."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import dawnchorus as dc
from commands import run
from dawnchorus.common.files.sealed import LENGTH, checksum, seal
from dawnchorus.results.saving.folder import write_result
from dawnchorus.results.saving.saved_result import read_result

SHORT = {"warmup": 20, "draws": 30, "min_ess": None}


@pytest.fixture(scope="module")
def posterior():
    annotations = dc.simulate_paper(recordings=30, annotators=4, species=5, visits=2, seed=1).annotations
    return dc.fit(annotations, "base", **SHORT)


@pytest.fixture(scope="module")
def fitted(posterior, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit") / "fit"
    write_result(posterior, folder)
    return folder


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 0xFF
    path.write_bytes(content)


def cut(path, keep):
    path.write_bytes(path.read_bytes()[:keep])


def some_places(path, number=60):
    """Give places in a file: its beginning, its last sealed byte, and others evenly spread."""
    size = path.stat().st_size - LENGTH
    return [*range(16), *np.linspace(16, size - 1, number).astype(int)]


def test_every_flipped_byte_of_a_posterior_is_noticed(fitted, tmp_path):
    path = tmp_path / "posterior.nc"
    for place in some_places(fitted / "posterior.nc"):
        shutil.copy(fitted / "posterior.nc", path)
        flip(path, place)
        with pytest.raises(dc.OutputError, match="is damaged or was changed"):
            dc.Posterior.load(path)


@pytest.mark.parametrize("more", [1, 100, 5000])
def test_bytes_after_the_seal_are_noticed(fitted, tmp_path, more):
    path = tmp_path / "posterior.nc"
    path.write_bytes((fitted / "posterior.nc").read_bytes() + b"x" * more)
    with pytest.raises(dc.OutputError, match="is damaged or was changed"):
        dc.Posterior.load(path)


@pytest.mark.parametrize("share", [0, 0.0001, 0.3, 0.9, 0.99])
def test_a_posterior_that_was_cut_off_says_so(fitted, tmp_path, share):
    path = tmp_path / "posterior.nc"
    shutil.copy(fitted / "posterior.nc", path)
    cut(path, int(share * path.stat().st_size))
    with pytest.raises(dc.OutputError, match="is incomplete: its end is missing"):
        dc.Posterior.load(path)


def test_a_posterior_that_is_missing_or_something_else_says_so(fitted, tmp_path):
    with pytest.raises(dc.OutputError, match="none.nc is missing"):
        dc.Posterior.load(tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("text")
    with pytest.raises(dc.OutputError, match="not a posterior that Dawnchorus saved"):
        dc.Posterior.load(tmp_path / "text.nc")
    copy = tmp_path / "copy"
    shutil.copytree(fitted, copy)
    flip(copy / "posterior.nc", 5000)
    assert "posterior.nc is damaged" in run("report", copy, code=2).stderr
    (copy / "posterior.nc").unlink()
    done = run("report", copy, code=2)
    assert "posterior.nc is missing" in done.stderr
    assert "no draws" not in done.stderr


def test_other_programs_read_a_sealed_file_and_we_read_theirs(fitted, posterior, tmp_path):
    with xr.open_datatree(fitted / "posterior.nc", engine="h5netcdf") as tree:
        assert tree["posterior"]["tpr"].shape == posterior.draws["tpr"].shape
        tree.load().to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
    again = dc.Posterior.load(tmp_path / "theirs.nc")
    assert np.array_equal(again.draws["tpr"], posterior.draws["tpr"])


def test_the_record_has_the_checksums_of_all_files(fitted):
    known = read_result(fitted).record["checksums"]
    assert known["presence.csv"] == checksum(fitted / "presence.csv")
    assert set(known) == {
        "annotators.csv", "posterior.nc", "presence.csv", "recordings.csv", "species.csv",
    }  # fmt: skip


def test_tables_that_changed_are_told_and_missing_ones_refused(fitted, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(fitted, copy)
    table = pd.read_csv(copy / "presence.csv")
    table.iloc[:-3].to_csv(copy / "presence.csv", index=False)
    with pytest.warns(dc.AnnotationWarning, match=r"presence.csv is not as it was written"):
        assert len(read_result(copy).presence) == len(table) - 3
    (copy / "species.csv").unlink()
    with pytest.raises(dc.OutputError, match=r"species.csv is missing"), pytest.warns(dc.AnnotationWarning):
        read_result(copy)


class Interruption(BaseException):
    pass


@pytest.fixture(scope="module")
def checkpoint(posterior, tmp_path_factory):
    """Give a checkpoint, and a function that resumes from one."""
    path = tmp_path_factory.mktemp("checkpoint") / "fit.checkpoint"

    def interrupt(at):
        raise Interruption

    with pytest.raises(Interruption):
        dc.fit(posterior.annotations, "base", checkpoint=path, progress=interrupt, **SHORT)

    def resume(path):
        return dc.fit(posterior.annotations, "base", checkpoint=path, resume=True, **SHORT)

    return path, resume


def test_every_flipped_byte_of_a_checkpoint_is_noticed(checkpoint, tmp_path):
    saved, resume = checkpoint
    path = tmp_path / "fit.checkpoint"
    for place in some_places(saved):
        shutil.copy(saved, path)
        flip(path, place)
        with pytest.raises(dc.OutputError, match="fit.checkpoint is damaged.*Remedy: remove it"):
            resume(path)


@pytest.mark.parametrize("share", [0, 0.0001, 0.3, 0.999])
def test_a_checkpoint_that_was_cut_off_says_so(checkpoint, tmp_path, share):
    saved, resume = checkpoint
    path = tmp_path / "fit.checkpoint"
    shutil.copy(saved, path)
    cut(path, int(share * path.stat().st_size))
    with pytest.raises(dc.OutputError, match="is incomplete: its end is missing"):
        resume(path)


def test_a_whole_checkpoint_is_resumed(checkpoint, posterior, tmp_path):
    saved, resume = checkpoint
    shutil.copy(saved, tmp_path / "fit.checkpoint")
    assert np.array_equal(resume(tmp_path / "fit.checkpoint").draws["tpr"], posterior.draws["tpr"])


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


@pytest.mark.parametrize("name", ["what", "target", "chain0.done"])
def test_nothing_is_unpickled(checkpoint, tmp_path, name):
    saved, resume = checkpoint
    path = tmp_path / "fit.checkpoint"
    with np.load(saved) as file:
        arrays = dict(file)
    arrays[name] = np.array(Bomb(), object)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    seal(path)
    with pytest.raises(dc.OutputError, match="is no checkpoint"):
        resume(path)
