"""ONNX files of all kinds: the shapes they are measured at, and inputs that are valid for them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper

from turnkeyml.cache import flattened, top_name
from turnkeyml.discover import file_inputs, parse_shapes
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.frameworks import read_onnx
from turnkeyml.frameworks.onnx import file as onnx_file
from turnkeyml.nouns import Input

INT64, INT32, FLOAT = TensorProto.INT64, TensorProto.INT32, TensorProto.FLOAT
STRING, BOOL, BFLOAT16 = TensorProto.STRING, TensorProto.BOOL, TensorProto.BFLOAT16
ML = "ai.onnx.ml"
tensor = helper.make_tensor_value_info
node = helper.make_node


@pytest.fixture
def read(tmp_path):
    """Writes a file of some nodes and reads it as turnkey does."""

    def write_and_read(nodes, inputs, outputs, weights=None, *, shapes=None, file=None):
        path = save(tmp_path / "model.onnx", nodes, inputs, outputs, weights)
        return read_onnx(Input(str(path)), shapes or {}, file)

    return write_and_read


def save(path, nodes, inputs, outputs, weights=None, *, ir_version=9):
    values = [v if not isinstance(v, str) else tensor(v, FLOAT, None) for v in outputs]
    tensors = [numpy_helper.from_array(np.asarray(a), n) for n, a in (weights or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, values, tensors)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(ML, 2)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
    path.write_bytes(model.SerializeToString())
    return path


def runs(subject) -> dict[str, np.ndarray]:
    """What the file computes on the inputs, without which they prove nothing."""
    return subject.compute_reference(1).outputs


# Sizes


def embedding(*dims, rows=100):
    return {
        "nodes": [node("Gather", ["table", "ids"], ["y"])],
        "inputs": [tensor("ids", INT64, dims)],
        "outputs": ["y"],
        "weights": {"table": np.ones((rows, 2), np.float32)},
    }


@pytest.mark.parametrize(
    "dims",
    [("batch", "sequence"), ("batch_size", "seq_len"), (None, None), ("unk__1", "unk__2")],
)
def test_a_sequence_is_128_long_and_a_batch_is_1(read, dims):
    subject = read(**embedding(*dims))
    assert subject.record.shapes == {"ids": (1, 128)}
    assert runs(subject)["y"].shape == (1, 128, 2)


def convolution(*dims, channels=3, **more):
    return dict(
        nodes=[node("Conv", ["x", "w"], ["y"])],
        inputs=[tensor("x", FLOAT, dims)],
        outputs=["y"],
        weights={"w": np.ones((2, channels, *[3] * (len(dims) - 2)), np.float32)},
        **more,
    )


@pytest.mark.parametrize("dims", [("N", 3, "height", "width"), (None, None, None, None)])
def test_an_image_is_224_wide_and_has_the_channels_of_the_convolution(read, dims):
    assert read(**convolution(*dims)).record.shapes == {"x": (1, 3, 224, 224)}


def test_the_channels_may_come_last(read):
    subject = read(
        [node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2]), node("Conv", ["t", "w"], ["y"])],
        [tensor("x", FLOAT, [None, None, None, None])],
        ["y"],
        {"w": np.ones((2, 5, 3, 3), np.float32)},
    )
    assert subject.record.shapes == {"x": (1, 224, 224, 5)}
    runs(subject)


def test_sound_is_one_second_and_a_matrix_has_as_many_rows_as_its_input_columns(read):
    assert read(**convolution("batch", 1, "sequence", channels=1)).record.shapes["x"][2] == 16_000
    product = read(
        [node("MatMul", ["x", "w"], ["y"])],
        [tensor("x", FLOAT, ["n", "features"])],
        ["y"],
        {"w": np.ones((7, 2), np.float32)},
    )
    assert product.record.shapes == {"x": (1, 7)}


def test_a_vision_transformer_gets_the_image_that_its_positions_are_for(read):
    subject = read(
        [
            node("Conv", ["x", "w"], ["c"], kernel_shape=[16, 16], strides=[16, 16]),
            node("Reshape", ["c", "flat"], ["f"]),
            node("Transpose", ["f"], ["t"], perm=[0, 2, 1]),
            node("Add", ["t", "positions"], ["y"]),
        ],
        [tensor("x", FLOAT, ["batch", 3, "height", "width"])],
        ["y"],
        {
            "w": np.ones((8, 3, 16, 16), np.float32),
            "flat": np.array([0, 8, -1]),
            "positions": np.ones((1, 576, 8), np.float32),
        },
    )
    assert subject.record.shapes == {"x": (1, 3, 384, 384)}
    runs(subject)


def test_a_size_that_contradicts_a_constant_is_not_chosen(read):
    subject = read(
        [node("Gather", ["table", "ids"], ["e"]), node("Add", ["e", "positions"], ["y"])],
        [tensor("ids", INT64, ["batch", "sequence"])],
        ["y"],
        {"table": np.ones((9, 2), np.float32), "positions": np.ones((1, 77, 2), np.float32)},
    )
    assert subject.record.shapes == {"ids": (1, 77)}
    runs(subject)


def test_an_input_without_a_rank_gets_that_of_the_operator(read):
    model = convolution(None, None, None, None)
    model["inputs"] = [tensor("x", FLOAT, None)]
    assert read(**model).record.shapes == {"x": (1, 3, 224, 224)}


def test_a_decoder_with_a_cache_runs_one_step_with_a_mask_that_covers_both(read):
    subject = read(
        [node("Identity", [name], [f"{name}_out"]) for name in ("ids", "mask", "key")],
        [
            tensor("ids", INT64, ["batch", "sequence_length"]),
            tensor("mask", INT64, ["batch", "past_sequence_length + sequence_length"]),
            tensor("key", FLOAT, ["batch", 4, "past_sequence_length", 8]),
        ],
        ["ids_out", "mask_out", "key_out"],
    )
    assert subject.record.shapes == {"ids": (1, 1), "mask": (1, 129), "key": (1, 4, 128, 8)}


def test_the_listing_says_which_sizes_were_chosen(read):
    (remark,) = read(**embedding("batch", "words")).record.remarks
    assert "batch=1, words=128" in remark
    assert "--input-shape" in remark
    assert read(**embedding(1, 16)).record.remarks == ()


def test_the_user_chooses_shapes_of_inputs_and_sizes_of_dimensions(read):
    model = embedding("batch", "sequence")
    assert read(**model, shapes={"ids": (2, 9)}).record.shapes == {"ids": (2, 9)}
    assert read(**model, shapes={"sequence": (9,)}).record.shapes == {"ids": (1, 9)}
    # What an exporter calls s0 is still a batch.
    assert read(**embedding("s0", "s1"), shapes={"batch": (4,)}).record.shapes["ids"][0] == 4


def test_other_shapes_are_another_build(read):
    model = embedding("batch", "sequence")
    hashes = {read(**model, shapes={"batch": (n,)}).record.hash for n in (1, 2, 2)}
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("shapes", "complaint"),
    [
        (
            {"batc": (1,)},
            "neither an input nor an open dimension 'batc'; its inputs are: ids (batch",
        ),
        ({"ids": (1, 2, 3)}, "The shape ids=1x2x3 does not fit the input ids (batch, 16)."),
        ({"ids": (1, 17)}, "The shape ids=1x17 does not fit the input ids (batch, 16)."),
        ({"ids": (17,)}, "The shape ids=17 does not fit the input ids (batch, 16)."),
    ],
)
def test_what_a_file_does_not_have_is_refused_in_one_sentence(read, shapes, complaint):
    with pytest.raises(TurnkeyError) as error:
        read(**embedding("batch", 16), shapes=shapes)
    assert complaint in str(error.value)


def test_shapes_are_written_with_an_x_and_separated_by_commas():
    assert parse_shapes(["ids=1x128,mask=1X128", "batch=8"]) == {
        "ids": (1, 128),
        "mask": (1, 128),
        "batch": (8,),
    }
    assert file_inputs({"ids": "2x64", "batch": "3"}) == ({"ids": (2, 64), "batch": (3,)}, None)
    assert file_inputs({"inputs": "a.npz"})[1] == os.path.abspath("a.npz")


@pytest.mark.parametrize("word", ["ids", "ids=", "=3", "ids=1y2", "ids=-1", "ids=1x", "a=1,,b=2"])
def test_what_is_no_shape_is_a_usage_error(word):
    with pytest.raises(UsageError, match="An input shape must be"):
        parse_shapes([word])


# Values


def test_indices_are_followed_through_casts_slices_offsets_and_loops(read):
    body = helper.make_graph(
        [
            node("Gather", ["table", "inner"], ["row"]),
            node("Identity", ["go"], ["go_on"]),
            node("Identity", ["inner"], ["again"]),
        ],
        "body",
        [tensor("i", INT64, []), tensor("go", BOOL, []), tensor("inner", INT64, [5])],
        [tensor("go_on", BOOL, []), tensor("again", INT64, [5]), tensor("row", FLOAT, [5, 2])],
    )
    subject = read(
        [
            node("Cast", ["ids"], ["wide"], to=INT64),
            node("Slice", ["wide", "zero", "five"], ["first"]),
            node("Add", ["first", "two"], ["shifted"]),
            node("Reshape", ["shifted", "flat"], ["flattened"]),
            node("Loop", ["times", "", "flattened"], ["last", "y"], body=body),
        ],
        [tensor("times", INT64, []), tensor("ids", INT32, [40])],
        ["y"],
        {
            "table": np.ones((9, 2), np.float32),
            "zero": np.array([0]),
            "five": np.array([5]),
            "two": np.array(2),
            "flat": np.array([-1]),
        },
    )
    ids = subject.inputs["ids"]
    assert (ids.min(), ids.max()) == (0, 6)
    assert subject.inputs["times"] > 0
    assert runs(subject)["y"].shape[1:] == (5, 2)


def test_indices_stay_within_a_table_that_is_computed(read):
    subject = read(
        [node("Transpose", ["x"], ["t"], perm=[1, 0]), node("Gather", ["t", "i"], ["y"])],
        [tensor("x", FLOAT, ["n", 3]), tensor("i", INT64, ["batch", "sequence"])],
        ["y"],
    )
    assert subject.inputs["i"].max() == 2
    runs(subject)


def test_masks_are_ones_lengths_are_positive_and_positions_count_up(read):
    subject = read(
        [
            node("LSTM", ["x", "w", "r", "", "lengths"], ["y"], hidden_size=2),
            node("Gather", ["table", "position_ids"], ["p"]),
            node("Identity", ["attention_mask"], ["m"]),
        ],
        [
            tensor("x", FLOAT, ["seq", "batch", 3]),
            tensor("lengths", INT32, ["batch"]),
            tensor("position_ids", INT64, ["batch", 6]),
            tensor("attention_mask", INT64, ["batch", 6]),
        ],
        ["y", "p", tensor("m", INT64, None)],
        {
            "w": np.ones((1, 8, 3), np.float32),
            "r": np.ones((1, 8, 2), np.float32),
            "table": np.ones((10, 2), np.float32),
        },
    )
    assert subject.inputs["lengths"].tolist() == [128]
    assert subject.inputs["position_ids"].tolist() == [[0, 1, 2, 3, 4, 5]]
    assert subject.inputs["attention_mask"].min() == 1
    runs(subject)


def test_strings_are_among_those_that_the_graph_knows(read):
    subject = read(
        [
            node(
                "LabelEncoder",
                ["x"],
                ["y"],
                domain=ML,
                keys_strings=["cat", "dog"],
                values_int64s=[1, 2],
                default_int64=-1,
            )
        ],
        [tensor("x", STRING, ["n"])],
        [tensor("y", INT64, None)],
    )
    assert runs(subject)["y"][0] in (1, 2)
    assert subject.record.dtypes == {"x": "string"}


def test_sequences_optional_values_and_bfloat16_are_fed(read):
    sequences = read(
        [node("ConcatFromSequence", ["xs"], ["y"], axis=0)],
        [helper.make_tensor_sequence_value_info("xs", FLOAT, ["n", 3])],
        ["y"],
    )
    assert runs(sequences)["y"].shape == (2, 3)
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [2]))
    optional = read(
        [node("OptionalGetElement", ["o"], ["y"])], [helper.make_value_info("o", kind)], ["y"]
    )
    assert runs(optional)["y"].shape == (2,)
    half = read([node("Cast", ["x"], ["y"], to=FLOAT)], [tensor("x", BFLOAT16, ["n", 2])], ["y"])
    assert half.record.dtypes == {"x": "bfloat16"}
    assert np.abs(runs(half)["y"]).max() > 0


def test_sequences_and_maps_that_a_model_returns_are_arrays_by_name(read):
    split = read(
        [node("SplitToSequence", ["x"], ["s"], axis=0)],
        [tensor("x", FLOAT, [2, 3])],
        [helper.make_tensor_sequence_value_info("s", FLOAT, None)],
    )
    assert list(runs(split)) == ["s[0]", "s[1]"]
    maps = [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    found = flattened("p", maps)
    assert found["p::keys"].tolist() == ["a", "b"]
    assert found["p::values"].tolist() == [[1, 2], [3, 4]]
    assert list(flattened("p", None)) == ["p::none"]
    assert [top_name(n) for n in ("p::keys", "p[3]", "p[0][1]", "p")] == ["p"] * 4


# Given inputs


def test_inputs_come_from_a_file_and_the_rest_fits_them(read, tmp_path):
    file = tmp_path / "inputs.npz"
    np.savez(file, ids=np.array([[5, 6, 7]]))
    model = embedding("batch", "sequence")
    model["inputs"].append(tensor("mask", INT64, ["batch", "sequence"]))
    model["nodes"].append(node("Identity", ["mask"], ["m"]))
    subject = read(**model, file=str(file))
    assert subject.inputs["ids"].tolist() == [[5, 6, 7]]
    assert subject.record.shapes["mask"] == (1, 3)
    np.savez(file, np.array([[8, 6, 7]]))  # by position
    other = read(**model, file=str(file))
    assert other.inputs["ids"].tolist() == [[8, 6, 7]]
    assert other.record.hash != subject.record.hash


def bomb(path, count, size):
    """An archive of zeros that compresses a thousand times."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count):
            with archive.open(f"a{number}.npy", "w") as entry:
                header = {"descr": "|u1", "fortran_order": False, "shape": (size,)}
                np.lib.format.write_array_header_1_0(entry, header)
                for _ in range(size >> 20):
                    entry.write(bytes(1 << 20))


def test_an_archive_that_unpacks_to_far_more_than_its_size_is_refused(read, tmp_path, monkeypatch):
    file = tmp_path / "inputs.npz"
    bomb(file, 3, 16 << 20)
    monkeypatch.setattr(onnx_file, "ALWAYS_BYTES", 32 << 20)
    unpacked = []
    monkeypatch.setattr(onnx_file, "read_archive", lambda *told: unpacked.append(told))
    with pytest.raises(TurnkeyError) as refused:
        read(**embedding("batch", 16), file=str(file))
    assert str(refused.value) == (
        f"The file of inputs {file} unpacks to 0.1 GB, which is more than 20 times its size; save "
        "it with numpy.savez, which does not compress."
    )
    assert unpacked == []


def test_an_archive_that_compresses_well_is_read(tmp_path):
    file = tmp_path / "inputs.npz"
    np.savez_compressed(file, ids=np.ones((4, 16), np.int64))
    wanted = onnx_file.InputType("ids", "tensor", INT64, ("n", 16))
    found = onnx_file.read_inputs(str(file), [wanted])
    assert found["ids"].sum() == 64


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"idz": np.zeros((1, 2), int)}, "has an array 'idz'; the inputs of the model are: ids."),
        ({"ids": np.zeros(3, int)}, "'ids' in inputs.npz is 3; the model wants batchx16."),
        ({"ids": np.array([["a"] * 16])}, "the model wants int64."),
    ],
)
def test_inputs_that_do_not_fit_are_refused(read, tmp_path, arrays, complaint):
    file = tmp_path / "inputs.npz"
    np.savez(file, **arrays)
    with pytest.raises(TurnkeyError) as error:
        read(**embedding("batch", 16), file=str(file))
    assert complaint in str(error.value)


# The program


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a file of a sequence model, one too new, and one that returns maps."""
    made = tmp_path_factory.mktemp("files")
    model = embedding("batch", "sequence")
    save(made / "WORDS.ONNX", **model)
    save(made / "new.onnx", **model, ir_version=99)
    zipped = node("ZipMap", ["x"], ["y"], domain=ML, classlabels_strings=["cat", "dog"])
    value = onnx.ValueInfoProto(name="y")
    entry = value.type.sequence_type.elem_type.map_type
    entry.key_type = STRING
    entry.value_type.tensor_type.elem_type = FLOAT
    save(made / "maps.onnx", [zipped], [tensor("x", FLOAT, ["n", 2])], [value])
    return made


def turnkey(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "turnkeyml", *words, "--cache-dir", "cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)


def test_a_sweep_measures_each_shape_in_a_build_of_its_own(folder):
    done = turnkey(folder, "WORDS.ONNX", "--sweep", "sequence=4,8", "--iterations", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    builds = [
        yaml.safe_load(p.read_text()) for p in folder.glob("cache/WORDS_*/turnkey_stats.yaml")
    ]
    found = {tuple(b["input_shapes"]["ids"]): b["evaluations"][0]["parameters"] for b in builds}
    assert found == {(1, 4): {"sequence": "4"}, (1, 8): {"sequence": "8"}}
    assert builds[0]["build"]["dimensions"] == {"batch": 1}


def test_maps_are_verified_and_the_reason_of_the_runtime_is_whole(folder):
    done = turnkey(folder, "maps.onnx", "new.onnx", "--iterations", "20")
    assert done.returncode == 1
    assert "ONNX Runtime cannot load the file" in done.stdout
    assert "Unsupported model IR version: 99, max supported IR version:" in done.stdout
    (stats,) = folder.glob("cache/maps_*/turnkey_stats.yaml")
    verdict = yaml.safe_load(stats.read_text())["evaluations"][0]["verification"]
    assert verdict["verdict"] == "match"
    outputs = np.load(stats.parent / "outputs_original.npz")
    assert outputs["y::keys"].tolist() == ["cat", "dog"]


def test_options_for_onnx_files_are_refused_where_they_make_no_sense(folder):
    script = folder / "script.py"
    script.write_text("")
    for words in (["--input-shape", "a=1"], ["--inputs", "WORDS.ONNX"]):
        done = turnkey(folder, "script.py", *words)
        assert done.returncode == 2
        assert f"{words[0]} is for ONNX files, and script.py is a script" in done.stderr
    done = turnkey(folder, "WORDS.ONNX", "--inputs", "no.npz")
    assert (done.returncode, done.stderr) == (
        2,
        "turnkey: error: File of inputs not found: 'no.npz'.\n",
    )
