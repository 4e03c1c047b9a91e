# SPDX-License-Identifier: Apache-2.0
"""Prints the names of a Python file's test classes that have tests, whatever they derive from and however these are made: what CTest gets an entry for."""
import importlib
import pathlib
import sys
import unittest

file = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(file.parent))
module = importlib.import_module(file.stem)
for name, value in vars(module).items():
    if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__ and unittest.defaultTestLoader.getTestCaseNames(value):
        print(name)
