"""The observer says when the installed torch is not what it was built for, and leaves torch as it found it."""

from __future__ import annotations

from tracing_support import script


def test_installed_torch_passes() -> None:
    assert script("self-check") == []


def test_missing_seam_and_what_it_costs_are_named() -> None:
    sentences = script("splits renamed")
    assert all(sentence.startswith("torch 2.") for sentence in sentences)
    assert [sentence.partition(": ")[2].partition(" instead")[0] for sentence in sentences] == [
        "no torch._dynamo.output_graph.GraphCompileReason.__post_init__: breaks will be missed",
        "a branch on a tensor was seen at lines []",
        "a call that cannot be traced was seen at lines []",
    ]


def test_compile_that_raises_is_a_sentence() -> None:
    sentences = script("compile gone")
    assert len(sentences) == 3
    assert all("made torch.compile raise TypeError: 'NoneType' object is not callable" in item for item in sentences)


def test_torch_is_left_as_it_was() -> None:
    assert script("seams restored") is True


def test_torch_is_kept_from_measuring_itself_and_observed_as_before() -> None:
    assert script("measuring spared") == [1, 1, []]
