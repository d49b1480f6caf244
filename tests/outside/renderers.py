"""Judges the forms of a report: renderers.py FOLDER JUNIT_SCHEMA.

The forms are compared with one another too: each must tell of the same cells.
"""

import csv
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

from lxml import etree
from markdown_it import MarkdownIt

folder, schema = Path(sys.argv[1]), Path(sys.argv[2])


def read(form):
    return (folder / form).read_bytes().decode("utf-8")


def ensure(holds, message):
    if not holds:
        sys.exit(message)


report = json.loads(read("json"))
cells = report["cells"]
troubled = [cell for cell in cells if cell["tone"] != "good"]
ensure(len({cell["tone"] for cell in cells}) >= 2, "json: this run is too plain to try the forms on")
print(f"json: {len(cells)} cells, {len(troubled)} of them not as they should be")


def junit():
    document = etree.parse(folder / "junit")
    etree.XMLSchema(etree.parse(schema)).assertValid(document)
    cases = document.findall(".//testcase")
    names = [(case.get("classname"), case.get("name")) for case in cases]
    ensure(len(names) == len(set(names)), "junit: two test cases of one name")
    ensure(not document.findall(".//skipped"), "junit: a skipped test case is no failure for readers")
    wrong = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    ensure((len(cases), len(wrong)) == (len(cells), len(troubled)), "junit: other counts than json")
    ensure(all(len(case) and case[0].text for case in wrong), "junit: a failure without content")
    print(f"junit: {len(cases)} test cases fit the schema")


def sarif():
    found = json.loads(read("found.sarif"))
    results = [result for run in found["runs"] for result in run.get("results", [])]
    levels = [result.get("level", "warning") for result in results]
    # The validator would like an address of the tool's own; there is none to give.
    known = {("SARIF2005", "Warning_ProvideToolnformationUri")}
    serious = [
        result
        for result, level in zip(results, levels)
        if level in ("error", "warning") and (result["ruleId"], result["message"].get("id")) not in known
    ]
    for result in serious:
        print(f"sarif: {result['ruleId']} {result.get('level')}: {json.dumps(result['message'])[:300]}")
    notices = [
        notice
        for run in found["runs"]
        for invocation in run.get("invocations", [])
        for key in ("toolExecutionNotifications", "toolConfigurationNotifications")
        for notice in invocation.get(key, [])
        if notice.get("level") == "error"
    ]
    ensure(not serious and not notices, f"sarif: {len(serious)} findings of the validator, {notices}")
    ours = json.loads(read("sarif"))["runs"][0]["results"]
    ensure(len(ours) == len(troubled), "sarif: other counts than json")
    print(f"sarif: {len(ours)} results, the validator has {len(results)} remarks, none of which counts")


def tables():
    for form, least in (("csv-cells", len(cells)), ("csv-attempts", 1), ("csv-clauses", 1), ("csv-fixtures", 0)):
        with open(folder / form, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, strict=True))
        ensure(len({len(row) for row in rows}) == 1, f"{form}: rows of different lengths")
        ensure(len(rows) - 1 >= least, f"{form}: {len(rows) - 1} rows")
        ensure(len(set(rows[0])) == len(rows[0]), f"{form}: two columns of one name")
        for row in rows[1:]:
            for text in row:
                # A spreadsheet takes these for formulas.
                is_number = re.fullmatch(r"-?\d+(\.\d+)?", text)
                ensure(not text[:1] in "=+-@\t\r" or is_number or text == "", f"{form}: a formula: {text!r}")
        print(f"{form}: {len(rows) - 1} rows of {len(rows[0])}")


def gitlab():
    issues = json.loads(read("gitlab"))
    for issue in issues:
        ensure(isinstance(issue["description"], str) and issue["description"], "gitlab: no description")
        ensure(isinstance(issue["check_name"], str) and issue["check_name"], "gitlab: no check_name")
        ensure(issue["severity"] in ("info", "minor", "major", "critical", "blocker"), "gitlab: severity")
        location = issue["location"]
        ensure(not location["path"].startswith(("/", "./")), f"gitlab: path {location['path']}")
        ensure(location["lines"]["begin"] >= 1, "gitlab: line")
    prints = [issue["fingerprint"] for issue in issues]
    ensure(len(prints) == len(set(prints)), "gitlab: equal fingerprints, so that one issue hides another")
    ensure(len(issues) == len(troubled), "gitlab: other counts than json")
    print(f"gitlab: {len(issues)} issues")


def github():
    lines = read("github").splitlines()
    form = re.compile(r"::(error|warning) (file=[^,:]*,line=\d+,)?title=[^,:]+::.+")
    for line in lines:
        ensure(form.fullmatch(line), f"github: no annotation: {line!r}")
        rest = re.sub(r"%(25|0A|0D|3A|2C)", "", line)
        ensure("%" not in rest, f"github: an unescaped percent sign: {line!r}")
    for command in ("error", "warning"):
        shown = [line for line in lines if line.startswith(f"::{command} ")]
        ensure(len(shown) <= 10, f"github: only ten annotations of a kind are shown, {len(shown)} written")
    print(f"github: {len(lines)} annotations")


class Tags(HTMLParser):
    """Every tag of a document must be one that the report itself writes, without attributes."""

    def handle_starttag(self, tag, attrs):
        ensure(tag in ("details", "summary", "code", "sub"), f"markdown: a foreign tag: {tag}")
        ensure(not attrs, f"markdown: attributes: {attrs}")


def markdown(form, limit):
    text = read(form)
    ensure(len(text.encode()) <= limit, f"{form}: {len(text.encode())} bytes")
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    seen, stack = 0, list(tokens)
    while stack:
        token = stack.pop()
        stack.extend(token.children or [])
        ensure(token.type not in ("link_open", "image", "fence", "code_block"), f"{form}: {token.type}")
        if token.type in ("html_block", "html_inline"):
            Tags().feed(token.content)
            seen += 1
        if token.type == "text":
            # Everything a model or an endpoint says stands in code.
            ensure("@" not in token.content and "http" not in token.content, f"{form}: {token.content!r}")
    opened, closed = text.count("\n<details>"), text.count("\n</details>")
    ensure(opened == closed, f"{form}: {opened} folds opened, {closed} closed")
    # Whoever reads it as GitHub does, with every fold open, finds each troubled cell by its key.
    missing = [cell["key"] for cell in troubled if cell["key"] not in text]
    ensure(not missing or "did not fit" in text, f"{form}: {missing[:3]} are not in it")
    print(f"{form}: {len(text.encode())} bytes, {seen} pieces of HTML, all of them ours")


junit()
sarif()
tables()
gitlab()
github()
markdown("markdown", 1 << 20)
markdown("comment", 65_536)
