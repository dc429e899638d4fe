"""Text from outside, in every place where it is shown: nothing acts upon what shows it."""

from __future__ import annotations

import ast
import base64
import contextlib
import csv
import io
import json
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies

import turnkeyml
from turnkeyml import escaping
from turnkeyml.cache import BuildSummary, build_name, summaries, update_stats
from turnkeyml.cli import main
from turnkeyml.display import (
    Overview,
    PlainWatcher,
    build_table,
    console,
    dry_run,
    line_of,
    listings,
    model_lines,
    names_lines,
    plugin_lines,
    race_lines,
    stats_lines,
    sweep_lines,
)
from turnkeyml.nouns import (
    Evaluation,
    EvaluationStatus,
    Forecast,
    Input,
    InputResult,
    InvocationResult,
    PluginInfo,
    RaceResult,
    RaceRow,
    ScriptOutcome,
    TaskForecast,
    events,
)
from turnkeyml.report import (
    Report,
    Section,
    Table,
    formats,
    make_document,
    render,
    report_of,
    save_reports,
    to_json,
    write_page,
)

from .test_compare import between, fail, folder_of, measure
from .test_launch import RECORD

PIECES = (
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\",
    "\x9b2J",
    "\x00",
    "\x08\x08",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\x0b\x0c\x1c\x85\u2028\u2029",
    "\u202e",
    "\u2066\u2069",
    "\u200e\u200f\u061c",
    "\u200b\ufeff\xad",
    "\ud800",
    "=cmd|'/C calc'!A0",
    "\uff1d1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "'=",
    "|",
    "`",
    "```",
    "\\",
    "\\|",
    "<script>alert(1)</script>",
    "</script>",
    "&lt;",
    "[a](javascript:b)",
    "![](http://x)",
    "**",
    "__init__",
    "# ",
    "> ",
    "1. ",
    "[bold]",
    "%s{}",
    "x" * 10_000,
    "\x1b" * 3_000,
    "é😀مرحبا",
)
HOSTILE = strategies.lists(
    strategies.one_of(strategies.sampled_from(PIECES), strategies.text(max_size=10)), max_size=6
).map("".join)
EVERYTHING = "".join(PIECES)
RELAXED = settings(deadline=None, max_examples=50)
"""The machine may be busy."""
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
MARK = "\x01\u202e\n"


def lines_of(text: str) -> list[str]:
    """The lines of a text that is safe in a terminal; fails if it is not."""
    lines = text.split("\n")
    for line in lines:
        assert line.isprintable(), [c for c in line if not c.isprintable()]
    return lines


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was shown in a terminal: lines of bounded length."""
    found = capsys.readouterr()
    lines = [*lines_of(found.out), *lines_of(found.err)]
    assert max(map(len, lines)) <= escaping.LONGEST_LINE
    return lines


def result(text: str) -> InputResult:
    """The result of an input of which every text is hostile."""
    record = replace(
        RECORD,
        name=text,
        class_name=text,
        class_repr=text or "x",
        file=text,
        model_type=text,
        shapes={text: (1,)},
        arguments={text: text},
        remarks=(text,),
        method=text,
    )
    evaluation = Evaluation(
        "x86", text, text, text, status=EvaluationStatus.FAILED, reason=text, host=text, python=text
    )
    race = RaceResult(text, 1, (RaceRow(text, evaluation),), text, text)
    rows = (
        InvocationResult(record, failure=text, build_dir=text, remarks=(text,), traceback=text),
        InvocationResult(record, evaluations=(evaluation,), race=race),
    )
    outcome = ScriptOutcome(1, text, text, (text,))
    item = Input(text, labels={text: (text,)}, malformed_labels=(text,))
    return InputResult(item, outcome, rows, text, {text: text}, {"script": 1.0}, log=text)


@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_a_line_is_printable_and_bounded_and_stays_what_it_is(text):
    line = escaping.one_line(text)
    assert line.isprintable()
    assert len(line) <= escaping.LONGEST_LINE
    assert escaping.one_line(line) == line
    if text.isprintable() and len(text) <= escaping.LONGEST_LINE:
        assert line == text


@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_listings_keep_their_lines_whatever_the_names_are(text):
    shown = result(text)
    for verbose in (False, True):
        calm = listings.listing(result("x"), True, verbose=verbose)
        found = lines_of(listings.listing(shown, True, verbose=verbose))
        # Where the text is empty, so is the class, which then has no line.
        assert text == "" or len(found) == len(calm.split("\n"))
        assert max(map(len, found)) <= escaping.LONGEST_LINE
    lines_of(escaping.one_line(line_of(shown)))


@FEW
@given(text=HOSTILE)
@example(text=EVERYTHING)
def test_what_the_program_prints_is_safe(text, capsys):
    told = result(text)
    overview = Overview()
    overview.add(told)
    task = TaskForecast(told.input, {text: text}, sequence=text, contestants=(text,))
    race = told.invocations[1].race
    assert race is not None
    for lines in (
        overview.lines(),
        race_lines(race),
        sweep_lines([told]),
        names_lines(Path("c"), [text]),
        model_lines({text: {"task": [text]}}),
        stats_lines(Path("c"), text, {text: text}, {"a": [text]}),
        plugin_lines([PluginInfo(text, text, text, text, problems=(text,))]),
        dry_run.forecast_lines(Forecast((task,), text, text, 0.0, 1, 0, None)),
        [listings.closing_line("benchmark", [text], [text])],
        build_table([summary(text)], 100),
    ):
        capsys.readouterr()
        console.print_lines(*lines)
        console.print_errors(*lines)
        printed(capsys)


def summary(text: str) -> BuildSummary:
    return BuildSummary(text, "1", text)


@FEW
@given(text=HOSTILE)
@example(text=EVERYTHING)
def test_what_a_run_shows_while_it_goes_on_is_safe(text, capsys):
    told = result(text)
    watcher = PlainWatcher(True, monitor=True, traceback=True)
    capsys.readouterr()
    watcher.input_started(told.input, 1, 1)
    for event in (
        events.ScriptFinished(told.script, ()),
        events.InvocationStarted("1", text, 1, 2),
        events.StageFinished("1", text, 1.0, False),
        events.MeasureStarted("1", text),
        events.MeasureProgress("1", 1.0, text),
        events.ArtifactChanged("1", text),
        events.InvocationFinished(told.invocations[0]),
    ):
        watcher.event(told.input, event)
    watcher.input_finished(told)
    watcher.note(text)
    printed(capsys)


def test_a_name_breaks_no_line_while_a_run_goes_on(capsys):
    told = result("a\nb")
    watcher = PlainWatcher(True, monitor=True, traceback=False)
    watcher.event(replace(told.input, path="a\nb.py"), events.MeasureStarted("1", "c\nd"))
    watcher.note("e\nf")
    assert capsys.readouterr().err == "a b.py: 1: measuring with c d\ne f\n"


def page(text: str) -> str:
    sections = (
        Section(table=Table(("x", "y"), [(text, "1")])),
        Section("T", sentences=[text]),
        Section(sentences=[text]),
    )
    report = Report(("x",), [{"x": text}], (("Cache", text),), sections)
    return written("markdown", report)


def written(name: str, report: Report) -> str:
    file = io.BytesIO()
    formats.find_format(name).write(report, file)
    return file.getvalue().decode("utf-8")


@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_markdown_shows_the_text_and_nothing_else(text):
    lines = lines_of(page(text))
    assert len(lines) == len(page("x").split("\n"))
    (row,) = (line for line in lines if line.endswith(" | 1 |"))
    assert len(cells_of(row)) == 4  # two, and what is outside of them
    assert not unescaped(row, "<`[*")
    assert not unescaped(next(line for line in lines if line.startswith("- ")), "<`[*")


def cells_of(row: str) -> list[str]:
    """What GitHub takes for cells: a bar after an odd number of backslashes separates none."""
    cells, position = [""], 0
    while position < len(row):
        taken = 2 if row[position] == "\\" else 1
        if row[position] == "|":
            cells.append("")
        else:
            cells[-1] += row[position : position + taken]
        position += taken
    return cells


def unescaped(line: str, marks: str) -> str:
    position, found = 0, ""
    while position < len(line):
        if line[position] == "\\":
            position += 1
        elif line[position] in marks:
            found += line[position]
        position += 1
    return found


@pytest.mark.parametrize("text", ["`", "a``b", "`` `", "plain"])
def test_no_backtick_ends_a_code_span(text):
    code = escaping.markdown_code(text)
    fence = code[: len(code) - len(code.lstrip("`"))]
    assert fence not in code[len(fence) : -len(fence)].split(" ")
    assert text in code


@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_csv_has_no_control_characters_and_no_formulas_and_comes_back(text):
    found = written("csv", Report((text, "n"), [{text: text, "n": -1.5}]))
    assert all(c.isprintable() or c in "\n\t" for c in found)
    rows = list(csv.reader(io.StringIO(found, newline="")))
    assert [len(row) for row in rows] == [2, 2]
    for cell in (rows[0][0], rows[1][0]):
        # A number is one, whatever its sign.
        with contextlib.suppress(ValueError):
            float(cell)
            continue
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\uff1d", "\uff0b"))
    shown = escaping.spelled(text.replace("\r\n", "\n"), keep="\n\t")
    (record,) = formats.find_format("csv").read(found).records
    assert record == {shown: shown, "n": "-1.5"}


@pytest.mark.parametrize("form", ["json", "jsonl"])
@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_json_is_exact_and_printable(form, text):
    found = written(form, Report((text,), [{text: text}]))
    lines_of(found)
    assert list(formats.find_format(form).read(found).records) == [{text: text}]


@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_the_documents_of_commands_are_exact_and_printable(text):
    document = to_json(make_document("x", ok=False, error=text, results=[{text: text}]))
    assert all(c.isprintable() or c == "\n" for c in document)
    assert json.loads(document)["results"] == [{text: text}]


@FEW
@given(HOSTILE)
@example(EVERYTHING)
def test_a_page_holds_its_text_spelled_and_packed(text):
    detail = {"cache_dir": text, "build_name": text, "labels": {text: [text]}}
    report = Report(
        ("build_name", "cache_dir"),
        [{"build_name": text, "cache_dir": text}],
        (("Cache", text),),
        details=[detail],
    )
    file = io.StringIO()
    write_page(report, file)
    whole = file.getvalue()
    empty = io.StringIO()
    write_page(Report(("build_name",), [], (("Cache", "x"),)), empty)
    scripts = "<script"
    assert whole.count(scripts) == empty.getvalue().count(scripts) + 1  # the details
    for name in ("data", "details-0"):
        data = unpacked(whole, name)
        for word in strings_in(data):
            assert all(c.isprintable() or c in "\n\t" for c in word)
    assert unpacked(whole, "details-0")[0]["cache_dir"] == unpacked(whole, "data")["builds"][0][0]


def unpacked(whole: str, name: str):
    packed = whole.split(f'id="{name}">', 1)[1].split("<", 1)[0]
    return json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))


def strings_in(data):
    if isinstance(data, str):
        yield data
    for inner in data.values() if isinstance(data, dict) else ():
        yield from strings_in(inner)
    for inner in data if isinstance(data, (dict, list)) else ():
        yield from strings_in(inner)


@settings(FEW, max_examples=8)
@given(text=HOSTILE.map(lambda text: text[:2000]))
@example(text=MARK + EVERYTHING.replace("x" * 10_000, ""))
@example(text="\r")
def test_reports_and_comparisons_of_a_hostile_cache_are_safe(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    one, other = folder / "a", folder / "b"
    for number, cache in enumerate((one, other)):
        measure(cache, parameters={"size": text}, version=str(number))
        fail(cache, text, digest="bbbbbbbb")
        update_stats(
            folder_of(cache, "net", "aaaaaaaa"),
            model_name=text,
            model_class=text,
            labels={"task": [text]},
            file=text,
        )
        forms = ("csv", "html", "json", "jsonl", "markdown", "text")
        for saved in save_reports([cache], folder, forms):
            written_text = saved.path.read_text(encoding="utf-8")
            if saved.path.suffix != ".html":
                assert all(c.isprintable() or c in "\n\t" for c in written_text)
        console.print_lines(
            *build_table(summaries([folder_of(cache, "net", "aaaaaaaa")], cache), 90)
        )
    comparison = between(one, other)
    assert list(report_of(comparison).records)
    for form in ("csv", "json", "jsonl", "markdown", "text"):
        assert all(c.isprintable() or c in "\n\t" for c in render(comparison, form, verbose=True))


@pytest.mark.parametrize(
    "words",
    [
        [f"{MARK}.py"],
        [f"nosuch{MARK}"],
        ["cache", "delete", f"a{MARK}"],
        ["cache", "list", "-d", f"c{MARK}"],
        ["cache", "stats", f"a{MARK}"],
        ["compare", f"a{MARK}", "b"],
        ["explain", f"a{MARK}.py"],
        ["tune", f"a{MARK}.py"],
        ["race", f"a{MARK}.py"],
        ["x.py", f"--{MARK}"],
        ["x.py", "--labels", MARK],
        ["x.py", "--device", MARK],
        ["x.py", "--runtime", MARK],
        ["x.py", "--iterations", MARK],
        ["cache", "report", "-o", f"x{MARK}"],
        ["models", "list", MARK],
    ],
    ids=lambda words: " ".join(words).encode("unicode_escape").decode(),
)
def test_no_word_of_a_command_line_reaches_the_terminal_as_it_is(
    words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(words)
    assert len(printed(capsys)) <= 4


@RELAXED
@given(HOSTILE)
@example(EVERYTHING)
def test_a_build_of_a_hostile_file_is_listed(text):
    name = build_name(text, "0123abcd")
    assert name.isprintable()
    assert name == Path(name).name
    assert len(name.encode()) < 200


def test_nothing_of_the_program_prints_but_the_console():
    folder = Path(turnkeyml.__file__).parent
    printing = [
        str(file.relative_to(folder))
        for room in ("cli", "api", "display")
        for file in sorted((folder / room).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id == "print")
            or ast.unparse(node.func) in ("sys.stdout.write", "sys.stderr.write")
        )
    ]
    assert printing == []
