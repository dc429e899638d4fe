"""The element types of OpenVINO."""

from __future__ import annotations

DTYPES = {
    "boolean": "bool",
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "string": "string",
}
"""The numpy names of OpenVINO's element types."""
