"""The list of what the product is built from holds to the schema of CycloneDX 1.5.

    sbom_check.py FILE
"""
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(Path(sys.argv[1]).read_text(encoding="utf-8"))
if fault:
    sys.exit(f"sbom: {str(fault).splitlines()[0]}")
print("sbom: holds to the schema of CycloneDX 1.5")
