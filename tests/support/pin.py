"""Print the exact versions of this environment as a constraints file, without any address."""

from __future__ import annotations

from importlib.metadata import distributions

OWN = "solution-architect-agent"


def main() -> None:
    found = {d.metadata["Name"].lower().replace("_", "-"): d.version for d in distributions()}
    print("# Exact versions that the tests passed with. Write anew with `make constraints`.")
    for name in sorted(found):
        if name not in (OWN, "pip", "setuptools", "wheel"):
            print(f"{name}=={found[name]}")


if __name__ == "__main__":
    main()
