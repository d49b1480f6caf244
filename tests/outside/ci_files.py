"""Looks over the CI files that `assize init` wrote, and the action: ci_files.py PROJECT ACTION.

They must be YAML by a reader of others, with the parts that the services ask for.
"""

import re
import sys
from pathlib import Path

import yaml

project, action = Path(sys.argv[1]), Path(sys.argv[2])


class Strict(yaml.SafeLoader):
    """Refuses keys that stand twice, as the services do."""


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    assert len(keys) == len(set(keys)), f"a key stands twice: {keys}"
    return loader.construct_mapping(node, deep=True)


Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)


def load(path):
    return yaml.load(path.read_text(encoding="utf-8"), Strict)


def expressions(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("${{") == len(re.findall(r"\$\{\{[^{}]*\}\}", text)), f"{path}: an open expression"


def steps(name, steps, composite):
    for step in steps:
        assert ("run" in step) != ("uses" in step), f"{name}: a step runs or uses: {step}"
        known = {"name", "run", "uses", "with", "env", "if", "shell", "id", "working-directory", "continue-on-error"}
        assert set(step) <= known, f"{name}: {set(step) - known}"
        assert not composite or "uses" in step or "shell" in step, f"{name}: a shell is needed: {step}"
        assert "uses" not in step or re.fullmatch(r"[\w.-]+/[\w./-]+@[\w.-]+", step["uses"]), step["uses"]
        # What others can name must not become a part of a script.
        for risky in ("github.event.", "github.head_ref", "inputs."):
            assert not (composite and f"${{{{ {risky}" in step.get("run", "")), f"{name}: {risky} in a script"


def github(path):
    expressions(path)
    workflow = load(path)
    # YAML 1.1 takes the key `on` for a truth value; GitHub does not.
    triggers = workflow.get("on", workflow.get(True))
    assert set(triggers) == {"pull_request", "schedule", "release", "workflow_dispatch"}, triggers
    assert workflow["permissions"] == {"contents": "read"}
    assert len(workflow["jobs"]) == 3
    for name, job in workflow["jobs"].items():
        assert job["runs-on"] and job["timeout-minutes"] and isinstance(job.get("env", {}), dict), name
        steps(name, job["steps"], composite=False)


def gitlab(path):
    jobs = load(path)
    assert len(jobs) == 4
    for name, job in jobs.items():
        if name.startswith("."):
            continue
        assert job["extends"] == ".assize" and job["rules"] and job["script"], name
        assert all(isinstance(line, str) for part in ("script", "after_script") for line in job.get(part, []))


def composite(path):
    expressions(path)
    document = load(path)
    assert document["name"] and document["description"] and document["runs"]["using"] == "composite"
    for name, given in document["inputs"].items():
        assert given["description"], name
        assert given.get("required") or "default" in given, f"{name} is neither required nor has a default"
    steps(path.name, document["runs"]["steps"], composite=True)


written = sorted(project.glob(".github/workflows/*.yml")) + sorted(project.glob(".gitlab/*.yml"))
assert written, "there are no CI files"
for path in written:
    (github if ".github" in path.parts else gitlab)(path)
composite(action)
print(f"CI files: {len(written)} and the action are sound")
